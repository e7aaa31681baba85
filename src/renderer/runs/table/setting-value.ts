/** A run's setting as the table sorts and compares it, and as an axis places it. Pure. */
import {
  isOptionName,
  noSetting,
  settingOf,
  type ConfiguredRun,
  type SettingName,
} from '../../../shared/run/run-settings.ts';

const number = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;

/**
 * Undefined where the run has no such setting. Of an option, long digits are a number, too: a random search draws
 * 0.0033113112, with more digits than are kept where a value is shown as it was typed.
 */
export function settingValue(run: ConfiguredRun, name: SettingName): string | number | undefined {
  const value = settingOf(run, name);
  if (value === noSetting) return undefined;
  return isOptionName(name) && typeof value === 'string' && number.test(value) ? Number(value) : value;
}
