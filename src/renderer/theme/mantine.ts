/** Mantine's theme, made from the window's own tokens: small and dense. */
import {
  ActionIcon,
  Autocomplete,
  Button,
  createTheme,
  Menu,
  Modal,
  Popover,
  SegmentedControl,
  Select,
  Tabs,
  Textarea,
  TextInput,
  Tooltip,
  type MantineColorsTuple,
} from '@mantine/core';
import classes from './mantine.module.css';

const petrol: MantineColorsTuple = [
  '#e6f6f6',
  '#cbe9ea',
  '#9bd3d6',
  '#66bbc0',
  '#3da5ab',
  '#1f8f96',
  '#0f7b83',
  '#0a6970',
  '#07575d',
  '#04444a',
];
const vermilion: MantineColorsTuple = [
  '#fdeeea',
  '#f9d9d1',
  '#f2b1a2',
  '#eb866f',
  '#e46345',
  '#da4828',
  '#cc3b1b',
  '#bf2f14',
  '#9c250f',
  '#7a1c0b',
];
const slate: MantineColorsTuple = [
  '#e6e9ef',
  '#c9cfda',
  '#a3adbd',
  '#7d8798',
  '#414a59',
  '#2a303b',
  '#20252f',
  '#191d25',
  '#12151b',
  '#0e1116',
];
const grey: MantineColorsTuple = [
  '#f7f8fa',
  '#f2f4f7',
  '#e8ebf0',
  '#dde1e7',
  '#c2c8d2',
  '#9aa3b2',
  '#656e80',
  '#566072',
  '#353d4c',
  '#1a202c',
];

const field = { size: 'xs', radius: 'sm' } as const;
/** Subdued labels, so that the values stand out. */
const fieldStyles = {
  label: { color: 'var(--rl-dim)', fontWeight: 500, marginBottom: 1 },
  description: { color: 'var(--rl-faint)', fontSize: 'var(--rl-text-xs)' },
  input: { '--input-height': '28px', '--input-size': '28px', minHeight: 28, fontSize: 'var(--rl-text-md)' },
} as const;

export const mantineTheme = createTheme({
  primaryColor: 'petrol',
  primaryShade: { light: 7, dark: 6 },
  colors: { petrol, vermilion, dark: slate, gray: grey, red: vermilion },
  fontFamily: 'var(--rl-font)',
  fontFamilyMonospace: 'var(--rl-mono)',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '15px', xl: '20px' },
  headings: { fontWeight: '620', sizes: { h1: { fontSize: '20px' }, h2: { fontSize: '15px' } } },
  defaultRadius: 'sm',
  radius: { xs: '3px', sm: '6px', md: '8px', lg: '10px', xl: '16px' },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    ActionIcon: ActionIcon.extend({
      defaultProps: { variant: 'subtle', color: 'gray', size: 28 },
      classNames: { root: classes.quiet ?? '' },
    }),
    Autocomplete: Autocomplete.extend({ defaultProps: field, styles: fieldStyles }),
    Button: Button.extend({ defaultProps: { size: 'xs' }, styles: { root: { fontWeight: 560 } } }),
    Menu: Menu.extend({ defaultProps: { shadow: 'md', width: 220, position: 'bottom-start' } }),
    Modal: Modal.extend({
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.35, blur: 1 },
        transitionProps: { duration: 120 },
      },
      styles: { title: { fontWeight: 620, fontSize: 'var(--rl-text-lg)' } },
    }),
    Popover: Popover.extend({ defaultProps: { shadow: 'md', transitionProps: { duration: 100 } } }),
    SegmentedControl: SegmentedControl.extend({ defaultProps: { size: 'xs' } }),
    Select: Select.extend({
      defaultProps: { ...field, allowDeselect: false, checkIconPosition: 'right' },
      styles: fieldStyles,
    }),
    Tabs: Tabs.extend({ defaultProps: { variant: 'default' } }),
    Textarea: Textarea.extend({
      defaultProps: field,
      styles: { label: fieldStyles.label, input: { fontSize: 'var(--rl-text-md)' } },
    }),
    TextInput: TextInput.extend({ defaultProps: field, styles: fieldStyles }),
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 350, withArrow: true, fz: 'xs' } }),
  },
});
