/** Formats errors for the user: what happened, where, what to do next, and the original output. */
import { ownDetail, type WireError } from '../base/errors.ts';
import type { Language } from '../base/language.ts';
import { en } from './en/index.ts';
import { say } from './say.ts';

export interface ErrorText {
  readonly message: string;
  readonly hint: string;
}

type Kind = keyof typeof en.missingKinds;
const isKind = (what: unknown): what is Kind =>
  typeof what === 'string' && Object.hasOwn(en.missingKinds, what);

type Params = Readonly<Record<string, WireError['params'][string] | undefined>>;

/** A parameter that is itself text also comes in the other language: `first.zh-CN` beside `first`. */
function paramsIn({ code, params, where }: WireError, language: Language): Params {
  const said = Object.entries(params).map(([name, value]) => [name, params[`${name}.${language}`] ?? value]);
  const { what } = params;
  return {
    ...(Object.fromEntries(said) as Params),
    where,
    ...(code === 'not_found' && isKind(what) ? { what: say(language, `missingKinds.${what}`) } : {}),
  };
}

/** Programs say of an exhausted quota or of too many files what they say of a full disk. */
const isUsedUp = ({ code, params: { needed, free } }: WireError): boolean =>
  code === 'node_disk_full' && typeof needed === 'number' && typeof free === 'number' && needed <= free;

/** The error as text: what happened (with where, if known) and what to do next. */
export function describeError(error: WireError, language: Language): ErrorText {
  const params = paramsIn(error, language);
  const { message, hint } = isUsedUp(error)
    ? {
        message: say(language, 'nothingFits.message', { path: params.path ?? '?' }),
        hint: say(language, 'nothingFits.hint'),
      }
    : {
        message: say(language, `errors.${error.code}.message`, params),
        hint: say(language, `errors.${error.code}.hint`, params),
      };
  const { where } = error;
  return { message: where === undefined ? message : say(language, 'errorAt', { where, message }), hint };
}

/** The last lines of the original output without escape sequences, to show below the message. */
export function detailLines(
  { detail, params }: Pick<WireError, 'detail' | 'params'>,
  language: Language,
  max = 12,
): string[] {
  if (detail === undefined) return [];
  if (detail.trim() === '') return [say(language, 'printedNothing')];
  const own = language === 'zh-CN' ? params[ownDetail] : undefined;
  const text = (typeof own === 'string' ? own : detail).replace(
    /\u001b\[[0-9;?]*[ -/]*[@-~]|[^\P{Cc}\r\n\t]/gu,
    '',
  );
  const lines = text.split(/\r\n|[\r\n\u2028\u2029]/).filter((line) => line.trim() !== '');
  return lines.slice(-max).map((line) => (line.length > 500 ? `${line.slice(0, 500)}…` : line));
}

/** For a terminal or a log: what happened, what to do, and the original output. */
export function errorLines(error: WireError, language: Language): string[] {
  const { message, hint } = describeError(error, language);
  return [message, hint, ...detailLines(error, language).map((line) => `    | ${line}`)];
}
