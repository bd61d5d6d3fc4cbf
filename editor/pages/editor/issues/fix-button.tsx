// Renders the button that fixes an issue in one undo step, or opens the field or page where the user can fix the issue.

import Wand from 'icon:wand-sparkles';
import { useMemo } from 'react';
import { flushSync } from 'react-dom';
import { toHandle } from '../../../../src/graph/handles.ts';
import type { LintIssue } from '../../../../src/graph/issues.ts';
import { getControlKind } from '../../../board/control-kind.ts';
import { findAllChanges, findFix } from '../../../board/fixes/find-fix.ts';
import type { Fix } from '../../../board/fixes/fix.ts';
import { messages } from '../../../flow-messages.ts';
import { Button, ButtonLink } from '../../../kit/button.tsx';
import { useProviderKeysHref } from '../../../lib/session.ts';
import { type EditorContextValue, useEditor } from '../../../session/editor-context.tsx';

const fixMessages = messages.flow.fixes;

interface FixButtonProps {
  readonly issue: LintIssue;
  /** Called before the issue is fixed, to move the focus: the focused button disappears with the issue. */
  readonly onBeforeFix: () => void;
}

/** Renders nothing if the issue has no fix. */
export function FixButton({ issue, onBeforeFix }: FixButtonProps) {
  const editor = useEditor();
  const fix = useMemo(() => findCurrentFix(editor, issue), [editor, issue]);
  const providersHref = useProviderKeysHref();
  if (fix === undefined) return null;
  if (fix.kind === 'providers')
    return providersHref === undefined ? null : (
      <ButtonLink size="s" icon={Wand} href={providersHref}>
        {fix.label}
      </ButtonLink>
    );
  const applyFix = (): void => {
    // The board may have changed since the issue was found.
    const current = findCurrentFix(editor, issue);
    if (current?.kind === 'change') onBeforeFix();
    if (current !== undefined) performFix(editor, current);
  };
  return (
    <Button size="s" icon={Wand} onClick={applyFix}>
      {fix.label}
    </Button>
  );
}

/** Renders a button that applies all fixes that need no user input, in one undo step. Renders nothing below two fixes. */
export function FixAllButton({
  issues,
  onBeforeFix,
}: {
  readonly issues: readonly LintIssue[];
  readonly onBeforeFix: () => void;
}) {
  const editor = useEditor();
  const { store, catalog } = editor.session;
  const find = () => findAllChanges(store.getState().board, catalog, issues);
  // biome-ignore lint/correctness/useExhaustiveDependencies: issues are recomputed after each change of the board
  const { count } = useMemo(find, [issues]);
  if (count < 2) return null;
  const fixAll = (): void => {
    onBeforeFix();
    store.actions.perform(fixMessages.edit, find().changes);
    editor.view.setState({ announcement: fixMessages.done(fixMessages.all(count)) });
  };
  return (
    <Button size="s" icon={Wand} onClick={fixAll}>
      {fixMessages.all(count)}
    </Button>
  );
}

function findCurrentFix({ session }: EditorContextValue, issue: LintIssue): Fix | undefined {
  return findFix({ board: session.store.getState().board, catalog: session.catalog, issue });
}

function performFix(editor: EditorContextValue, fix: Fix): void {
  const { session, view } = editor;
  if (fix.kind === 'change') {
    session.store.actions.perform(fix.label, fix.changes);
    view.setState({ announcement: fixMessages.done(fix.label) });
  }
  if (fix.kind !== 'fill') return;
  // Renders the inspector now, so that the next key goes to its field.
  flushSync(() => session.store.actions.select([fix.nodeId]));
  if (getControlKind(fix.input) !== undefined) focusField(fix.input.id);
  else {
    const from = { nodeId: fix.nodeId, handle: toHandle('in', fix.input.id) };
    view.setState({ panel: { kind: 'add', placement: { from } } });
  }
}

const FOCUSABLE = 'textarea, input, select, [contenteditable="true"], button';

function focusField(inputId: string): void {
  const field = document.querySelector(`[data-input="${CSS.escape(inputId)}"]`);
  field?.querySelector<HTMLElement>(FOCUSABLE)?.focus();
}
