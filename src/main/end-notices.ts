/** A desktop notification when a run ends or a node is lost, in the person's language, unless they want none. */
import type { Settings } from '../shared/api.ts';
import { isEnded, type RunState } from '../shared/run.ts';
import type { EventLog } from './events.ts';
import type { Platform } from './platform.ts';

type Told = Extract<RunState, 'finished' | 'failed' | 'interrupted' | 'lost' | 'stopped' | 'waiting'>;

const words: Readonly<Record<'en' | 'zh-CN', Readonly<Record<Told, string>>>> = {
  en: {
    finished: 'The run has finished.',
    failed: 'The run has failed. Open it to see why.',
    interrupted: 'The run was interrupted. It can be resumed.',
    lost: 'The run is lost: its nodes no longer know it.',
    stopped: 'The run has stopped.',
    waiting: 'A node is out of reach. The run goes on.',
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
const isTold = (state: RunState): state is Told => Object.hasOwn(words.en, state);

/** `system`: as this computer's own programs speak. */
const languageOf = (chosen: Settings['language']): 'en' | 'zh-CN' =>
  chosen !== 'system'
    ? chosen
    : Intl.DateTimeFormat().resolvedOptions().locale.startsWith('zh')
      ? 'zh-CN'
      : 'en';

export function tellEnds(
  events: Pick<EventLog, 'subscribe'>,
  platform: Pick<Platform, 'notify'>,
  settings: () => Promise<Settings>,
): void {
  const last = new Map<string, RunState>();
  events.subscribe((event) => {
    if (event.name !== 'run.changed') return;
    const { id, name, state } = event.data.run;
    const before = last.get(id);
    last.set(id, state);
    if (isEnded(state)) last.delete(id);
    if (before === undefined || before === state || !isTold(state)) return;
    settings()
      .then(({ notifications, language }) => {
        if (notifications)
          platform.notify({ title: `Ringlab: ${name}`, body: words[languageOf(language)][state] });
      })
      // The store is gone while the app closes: nobody is told of what happens then.
      .catch(() => undefined);
  });
}
