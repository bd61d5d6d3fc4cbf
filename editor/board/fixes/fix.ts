// Defines a fix of a lint issue: a change of the board, or the field or page where the user decides.
import type { Catalog, InputDef } from '../../../src/graph/catalog.ts';
import { type LintIssue, unescapeSegment } from '../../../src/graph/issues.ts';
import type { GraphNode } from '../../../src/graph/types.ts';
import { type Board, type Change, findNode } from '../board.ts';

/** `label` is the text of the button. */
export type Fix =
  | { readonly kind: 'change'; readonly label: string; readonly changes: readonly Change[] }
  /** Focuses the field of the input, or opens the palette if only a connection can fill it. */
  | { readonly kind: 'fill'; readonly label: string; readonly nodeId: string; readonly input: InputDef }
  /** Opens the settings of providers. */
  | { readonly kind: 'providers'; readonly label: string };

/** The input of a fix. The board may have changed since the issue was found. */
export interface FixContext {
  readonly board: Board;
  readonly catalog: Catalog;
  readonly issue: LintIssue;
}

/** Returns the fix for an issue of one rule, or undefined if there is none on this board. */
export type FindFix = (context: FixContext) => Fix | undefined;

/** Returns a fix that applies the changes, or undefined if there are none. */
export function toFix(label: string, changes: readonly Change[]): Fix | undefined {
  return changes.length === 0 ? undefined : { kind: 'change', label, changes };
}

export function findIssueNode({ board, issue }: FixContext): GraphNode | undefined {
  return issue.nodeId === undefined ? undefined : findNode(board, issue.nodeId);
}

/** Returns the last segment of the issue's JSON pointer: a config key, or an index. */
export function getLastSegment({ issue }: FixContext): string {
  return unescapeSegment(issue.path?.split('/').at(-1) ?? '');
}
