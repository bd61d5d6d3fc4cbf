// Offers what fixes a failed run, by its error code: the page to change settings, or a retry from the node.

import Key from 'icon:key-round';
import Redo from 'icon:rotate-ccw';
import Settings from 'icon:settings';
import { messages } from '../flow-messages.ts';
import { Button, ButtonLink } from '../kit/button.tsx';
import { useEditor } from './editor-context.tsx';
import { planRun } from './plan-run.ts';

const texts = messages.flow.errorActions;

/** Pages that fix an error, by its code. */
const PAGES: Readonly<Record<string, { readonly label: string; readonly href: string }>> = {
  provider_not_configured: { label: texts.providers, href: '/settings/providers' },
  insufficient_credits: { label: texts.credits, href: '/settings/credits' },
  daily_budget_exceeded: { label: texts.budget, href: '/settings/credits' },
};

/** Error codes caused by the node's settings. */
const OF_SETTINGS: ReadonlySet<string> = new Set(['missing_input', 'invalid_config', 'invalid_input']);

interface ErrorActionsProps {
  readonly code: string | undefined;
  /** Absent: the error is of the run. */
  readonly nodeId?: string | undefined;
}

export function ErrorActions({ code, nodeId }: ErrorActionsProps) {
  const editor = useEditor();
  const page = PAGES[code ?? ''];
  const { view, session } = editor;
  return (
    <>
      {page && (
        <ButtonLink size="s" icon={Settings} href={page.href}>
          {page.label}
        </ButtonLink>
      )}
      {code === 'unknown_secret' && (
        <Button size="s" icon={Key} onClick={() => view.setState({ panel: { kind: 'secrets' } })}>
          {texts.secrets}
        </Button>
      )}
      {nodeId !== undefined && OF_SETTINGS.has(code ?? '') && (
        <Button size="s" icon={Settings} onClick={() => session.store.actions.select([nodeId])}>
          {texts.settings}
        </Button>
      )}
      {nodeId !== undefined && (
        <Button size="s" icon={Redo} onClick={() => void planRun(editor, 'from', [nodeId])}>
          {texts.again}
        </Button>
      )}
    </>
  );
}
