// Renders buttons that help to fix a failed run, by error code: links to settings pages, buttons that open secrets or
// the config of the node, and a retry from the node.

import Key from 'icon:key-round';
import Redo from 'icon:rotate-ccw';
import Settings from 'icon:settings';
import { messages } from '../../flow-messages.ts';
import { Button, ButtonLink } from '../../kit/button.tsx';
import { useProviderKeysHref } from '../../lib/session.ts';
import { useEditor, useRun } from '../editor-context.tsx';
import { showRunPlan } from './plan-run.ts';
import { isRunning } from './run-store.ts';

const actionLabels = messages.flow.errorActions;

/** The settings pages on which an error can be fixed, by error code. */
const SETTINGS_PAGES: Readonly<Record<string, { readonly label: string; readonly href: string }>> = {
  insufficient_credits: { label: actionLabels.credits, href: '/settings/credits' },
  member_limit_exceeded: { label: actionLabels.limits, href: '/settings/credits' },
  key_limit_exceeded: { label: actionLabels.limits, href: '/settings/keys' },
  daily_budget_exceeded: { label: actionLabels.budget, href: '/settings/credits' },
};

/** Error codes that a provider key fixes. */
const PROVIDER_ERRORS: ReadonlySet<string> = new Set(['provider_not_configured', 'provider_auth']);

/** Error codes that a change of the node's config fixes. */
const NODE_CONFIG_ERRORS: ReadonlySet<string> = new Set([
  'missing_input',
  'invalid_config',
  'invalid_input',
  'provider_invalid_input',
  'provider_content_policy',
]);

interface ErrorActionsProps {
  readonly code: string | undefined;
  /** The failed node. Undefined if the run failed outside of nodes. */
  readonly nodeId?: string | undefined;
}

export function ErrorActions({ code, nodeId }: ErrorActionsProps) {
  const editor = useEditor();
  const isBusy = useRun(isRunning);
  const providersHref = useProviderKeysHref();
  const page = SETTINGS_PAGES[code ?? ''];
  const { view, session } = editor;
  return (
    <>
      {page && (
        <ButtonLink size="s" icon={Settings} href={page.href}>
          {page.label}
        </ButtonLink>
      )}
      {PROVIDER_ERRORS.has(code ?? '') && providersHref !== undefined && (
        <ButtonLink size="s" icon={Key} href={providersHref}>
          {actionLabels.providers}
        </ButtonLink>
      )}
      {code === 'unknown_secret' && (
        <Button size="s" icon={Key} onClick={() => view.setState({ panel: { kind: 'secrets' } })}>
          {actionLabels.secrets}
        </Button>
      )}
      {nodeId !== undefined && NODE_CONFIG_ERRORS.has(code ?? '') && (
        <Button size="s" icon={Settings} onClick={() => session.store.actions.select([nodeId])}>
          {actionLabels.settings}
        </Button>
      )}
      {nodeId !== undefined && (
        <Button
          size="s"
          icon={Redo}
          disabled={isBusy}
          onClick={() => void showRunPlan(editor, 'from', [nodeId])}
        >
          {actionLabels.retry}
        </Button>
      )}
    </>
  );
}
