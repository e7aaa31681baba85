export { downloadFile } from './download.ts';
export { hashFile, hashText } from './file-hash.ts';
export { readFolder, type FolderManifest, type ManifestFile } from './folder-manifest.ts';
export { createHttpProxy, type HttpProxyOptions, type ProxyCounts } from './http-proxy.ts';
export { relayFolder } from './relay-folder.ts';
export { hasFolder, sendFolder, verifyFolder, type SendOptions } from './send-folder.ts';
export { freeBytes, needBytes, saysDiskFull } from './space.ts';
export { tarBytes, tarEntryBytes, writeTar, type TarEntry } from './tar.ts';
