// Renders the button that fixes an issue in one undo step, or leads to the field or page where the user decides.

import Wand from 'icon:wand-sparkles';
import { useMemo } from 'react';
import type { LintIssue } from '../../../src/graph/issues.ts';
import { findAllChanges, findRemedy } from '../../board/remedies/find-remedy.ts';
import type { Remedy } from '../../board/remedies/remedy.ts';
import { messages } from '../../flow-messages.ts';
import { Button, ButtonLink } from '../../kit/button.tsx';
import { type EditorContextValue, useEditor } from '../../runs/editor-context.tsx';
import { controlOf } from './inspector/controls.tsx';
import { focusField } from './inspector/focus-field.ts';

const texts = messages.flow.remedies;

interface RemedyButtonProps {
  readonly issue: LintIssue;
  /** Called before the issue and its button disappear. */
  readonly onDone: () => void;
}

/** Renders nothing if the issue has no fix. */
export function RemedyButton({ issue, onDone }: RemedyButtonProps) {
  const editor = useEditor();
  const remedy = useMemo(() => remedyNow(editor, issue), [editor, issue]);
  if (remedy === undefined) return null;
  if (remedy.kind === 'page')
    return (
      <ButtonLink size="s" icon={Wand} href={remedy.href}>
        {remedy.label}
      </ButtonLink>
    );
  const act = (): void => {
    // The board may have changed since the issue was found.
    const current = remedyNow(editor, issue);
    if (current?.kind === 'change') onDone();
    if (current !== undefined) perform(editor, current);
  };
  return (
    <Button size="s" icon={Wand} onClick={act}>
      {remedy.label}
    </Button>
  );
}

/** Fixes all issues that need no decision, in one undo step. Hidden for fewer than two. */
export function RemedyForAll({
  issues,
  onDone,
}: {
  readonly issues: readonly LintIssue[];
  readonly onDone: () => void;
}) {
  const editor = useEditor();
  const { store, catalog } = editor.session;
  const find = () => findAllChanges(store.getState().board, catalog, issues);
  // biome-ignore lint/correctness/useExhaustiveDependencies: issues are recomputed after each change of the board
  const { count } = useMemo(find, [issues]);
  if (count < 2) return null;
  const act = (): void => {
    onDone();
    store.actions.perform(texts.edit, find().changes);
    editor.view.setState({ announcement: texts.done(texts.all(count)) });
  };
  return (
    <Button size="s" icon={Wand} onClick={act}>
      {texts.all(count)}
    </Button>
  );
}

function remedyNow({ session }: EditorContextValue, issue: LintIssue): Remedy | undefined {
  return findRemedy({ board: session.store.getState().board, catalog: session.catalog, issue });
}

function perform(editor: EditorContextValue, remedy: Remedy): void {
  const { session, view } = editor;
  if (remedy.kind === 'change') {
    session.store.actions.perform(remedy.label, remedy.changes);
    view.setState({ announcement: texts.done(remedy.label) });
  }
  if (remedy.kind !== 'fill') return;
  session.store.actions.select([remedy.nodeId]);
  if (controlOf(remedy.input) !== undefined) focusField(remedy.input.id);
  else {
    const from = { nodeId: remedy.nodeId, handle: `in-${remedy.input.id}` };
    view.setState({ panel: { kind: 'add', placement: { from } } });
  }
}
