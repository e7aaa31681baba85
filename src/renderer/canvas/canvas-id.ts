/** The drawing area's id in the page. */
export const canvasId = 'lab-canvas';
