// What mends a run that failed, by its error: the page where what is missing is set up, or another try from the node.

import Redo from 'icon:rotate-ccw';
import Settings from 'icon:settings';
import { useEditor } from '../board/editor-context.tsx';
import { Button, ButtonLink } from '../kit/button.tsx';
import { messages } from '../messages.ts';
import { planRun } from './plan-run.ts';

const texts = messages.flow.mend;

/** Pages that have the remedy, by the code of the error. */
const PAGES: Readonly<Record<string, { readonly label: string; readonly href: string }>> = {
  provider_not_configured: { label: texts.providers, href: '/settings/providers' },
  insufficient_credits: { label: texts.credits, href: '/settings/credits' },
  daily_budget_exceeded: { label: texts.budget, href: '/settings/credits' },
};

interface MendProps {
  readonly code: string | undefined;
  /** Absent: the error is of the whole run. */
  readonly nodeId?: string | undefined;
}

export function Mend({ code, nodeId }: MendProps) {
  const editor = useEditor();
  const page = PAGES[code ?? ''];
  return (
    <>
      {page && (
        <ButtonLink size="s" icon={Settings} href={page.href}>
          {page.label}
        </ButtonLink>
      )}
      {nodeId !== undefined && (
        <Button size="s" icon={Redo} onClick={() => void planRun(editor, 'from', [nodeId])}>
          {texts.again}
        </Button>
      )}
    </>
  );
}
