/** Public interface of transfers: folders to nodes and between them, downloads, buckets, and HTTP lent to a node. */
export { createBucket, type Bucket, type BucketObject, type BucketPlace } from './bucket.ts';
export { downloadFile, type DownloadOptions } from './download.ts';
export { fetchObjects, partsOf, type RemoteObject } from './fetch-objects.ts';
export { hashFile, hashText } from './file-hash.ts';
export { partOf, readFolder, sumLine, type FolderManifest, type ManifestFile } from './folder-manifest.ts';
export { createHttpProxy, type HttpProxyOptions } from './http-proxy.ts';
export { type ReachRule } from './reachable.ts';
export { relayFolder } from './relay-folder.ts';
export { hasFolder, isIntact, sendFolder, verifyFolder, type SendOptions } from './send-folder.ts';
export { freeBytes, needBytes, isDiskFullMessage } from './space.ts';
export { tarBytes } from './tar.ts';
