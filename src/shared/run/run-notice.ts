/** What a desktop notification says when a run ends or a node is lost; the same from the desktop's host and from a browser. */
import type { Language } from '../base/language.ts';
import type { RunRecord, RunState } from './run.ts';

type NotifiedState = Extract<
  RunState,
  'finished' | 'failed' | 'interrupted' | 'lost' | 'stopped' | 'waiting'
>;

const words: Readonly<Record<Language, Readonly<Record<NotifiedState, string>>>> = {
  en: {
    finished: 'The run has finished.',
    failed: 'The run has failed. Open it to see why.',
    interrupted: 'The run was interrupted. It can be resumed.',
    lost: 'The run is lost: its nodes no longer know it.',
    stopped: 'The run has stopped.',
    waiting: 'A node is unreachable. The run continues.',
  },
  'zh-CN': {
    finished: '运行已完成。',
    failed: '运行失败。打开它查看原因。',
    interrupted: '运行已中断，可以恢复。',
    lost: '运行已丢失：节点上已没有它的记录。',
    stopped: '运行已停止。',
    waiting: '有节点无法连接。运行仍在继续。',
  },
};
const lostWords: Readonly<Record<Language, (nodes: readonly string[]) => string>> = {
  en: (nodes) => `Unreachable: ${nodes.join(', ')}. The run continues.`,
  'zh-CN': (nodes) => `无法连接：${nodes.join('、')}。运行仍在继续。`,
};

const isNotified = (state: RunState): state is NotifiedState => Object.hasOwn(words.en, state);

/** Undefined for a state that needs no notification. Which nodes are lost is said where the whole record is known. */
export function runNotice(
  { state, unreachable = {}, ranks = [] }: Pick<RunRecord, 'state'> & Partial<RunRecord>,
  language: Language,
): string | undefined {
  if (!isNotified(state)) return undefined;
  const lost = new Set(
    ranks.filter(({ nodeId }) => Object.hasOwn(unreachable, nodeId)).map(({ nodeName }) => nodeName),
  );
  return state === 'waiting' && lost.size > 0 ? lostWords[language]([...lost]) : words[language][state];
}
