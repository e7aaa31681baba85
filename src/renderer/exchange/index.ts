/** Labs from and to what other programs read. */
export { toAnsible } from './ansible.ts';
export { fromContainerlab, toContainerlab } from './containerlab.ts';
export { toPicture, toPng, type Picture, type PictureParts } from './picture.ts';
export { fileName, saveFile } from './save-file.ts';
