/** Words of the frame: header, menus, dialogs, banners, the first page. */
export const shell = {
  loading: 'Opening the lab…',
} as const;
