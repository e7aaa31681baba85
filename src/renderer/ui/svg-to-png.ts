/** SVG text as a PNG, drawn by the browser at twice the screen's resolution. */

/** Browsers refuse canvases with longer sides, in pixels. */
const longestSide = 8000;

/** Pixels of the PNG for each pixel of the SVG. */
export const pngScale = ({ width, height }: { readonly width: number; readonly height: number }): number =>
  Math.min(2, longestSide / Math.max(width, height));

/** Rejects where the browser can neither read the SVG nor make a PNG of it. */
export async function svgToPng(svg: string): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const { naturalWidth: width, naturalHeight: height } = image;
    const scale = pngScale({ width, height });
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(height * scale));
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => {
        if (blob === null) reject(new Error('the browser made no PNG'));
        else resolve(blob);
      }, 'image/png');
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}
