/** In which language the host answers a request that does not come from the window, by what the browser asks for. */
import type { Language } from '../../../shared/base/language.ts';

/** @param accepted of `Accept-Language`: `zh-CN,zh;q=0.9,en;q=0.8` */
export function pageLanguage(accepted: string | undefined): Language {
  const asked = (accepted ?? '').split(',', 20).map((one) => {
    const [tag = '', ...more] = one.split(';').map((part) => part.trim().toLowerCase());
    const weight = Number(more.find((part) => part.startsWith('q='))?.slice(2) ?? 1);
    return { tag, weight: Number.isNaN(weight) ? 0 : weight };
  });
  const known = asked.filter(({ tag, weight }) => /^(zh|en)(-|$)/.test(tag) && weight > 0);
  const [first] = known.toSorted((a, b) => b.weight - a.weight);
  return first?.tag.startsWith('zh') === true ? 'zh-CN' : 'en';
}
