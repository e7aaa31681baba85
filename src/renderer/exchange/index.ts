/** Labs from and to what other programs read. */
export { toAnsible } from './ansible.ts';
export { toContainerlab } from './containerlab.ts';
export { readTopology } from './read-topology.ts';
export { toPicture, toPng, type Picture, type PictureParts } from './picture.ts';
export { fileName, saveFile } from './save-file.ts';
