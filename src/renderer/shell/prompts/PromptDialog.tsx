/** Shows main's prompts one at a time: host keys, passwords, passphrases, the server's own prompts, sudo, consents. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Prompt, PromptAnswer } from '../../../shared/contract/prompts.ts';
import { useApi } from '../../api/index.ts';
import { asRinglabError, closePrompt, report, useFirstPrompt, usePromptStore } from '../../state/index.ts';
import { Consent, Lend } from './ConsentQuestions.tsx';
import classes from './PromptDialog.module.css';
import { Interactive, Secret } from './SecretQuestions.tsx';
import { HostKey, WeakAlgorithms } from './TrustQuestions.tsx';
import { useReady } from './use-ready.ts';

export function PromptDialog() {
  const { t } = useTranslation();
  const prompt = useFirstPrompt();
  const more = usePromptStore((state) => Math.max(0, state.open.length - 1));
  return (
    <>
      {prompt !== undefined && <Question key={prompt.id} prompt={prompt} />}
      {more > 0 && (
        <span className={classes.more} aria-live="polite">
          {t('prompts.more', { count: more })}
        </span>
      )}
    </>
  );
}

function Question({ prompt }: { prompt: Prompt }) {
  const api = useApi();
  const [busy, setBusy] = useState(false);
  const ready = useReady();
  const answer = (given: PromptAnswer): void => {
    setBusy(true);
    api.call('prompt.answer', { promptId: prompt.id, answer: given }).then(
      () => closePrompt(prompt.id),
      (error: unknown) => {
        setBusy(false);
        const known = asRinglabError(error);
        // Answered in another window, or the request is over: there is nothing left to ask.
        if (known.code === 'not_found') closePrompt(prompt.id);
        else report(known);
      },
    );
  };
  const props = { busy, ready, answer };
  switch (prompt.kind) {
    case 'host-key':
      return <HostKey prompt={prompt} {...props} />;
    case 'interactive':
      return <Interactive prompt={prompt} {...props} />;
    case 'consent':
      return <Consent prompt={prompt} {...props} />;
    case 'weak-algorithms':
      return <WeakAlgorithms prompt={prompt} {...props} />;
    case 'lend':
      return <Lend prompt={prompt} {...props} />;
    case 'password':
    case 'passphrase':
    case 'sudo':
    case 'bucket-key':
    case 'script-variable':
      return <Secret prompt={prompt} {...props} />;
  }
}
