export const inspector = {};
