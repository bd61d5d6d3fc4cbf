// Provides components with the open board and with view state that is not part of the board.

import { createContext, type ReactNode, useContext } from 'react';
import { createStore, type StoreApi, useStore } from 'zustand';
import type { NodeState, RunRequest } from '../../sdk/src/types.ts';
import type { LintIssue } from '../../src/graph/issues.ts';
import type { Position } from '../../src/graph/types.ts';
import type { Board } from '../board/board.ts';
import type { Difference } from '../board/difference.ts';
import type { OpenBoard } from '../board/open-board.ts';
import type { Placement } from '../board/placement.ts';
import type { BoardState } from '../board/store.ts';
import type { PortRef } from '../board/wiring.ts';
import type { TrailStep } from '../lib/trail.ts';
import type { ComponentNodeState } from './component-states.ts';
import type { Estimate } from './runs/estimate.ts';
import type { RunKind } from './runs/plan-run.ts';
import type { RunState, RunStore } from './runs/run-store.ts';
import type { NodeDisplay } from './runs/stored-results.ts';

/** The panel that is open over the board. */
export type Panel =
  | { readonly kind: 'add'; readonly placement: Placement; readonly text?: string }
  | {
      readonly kind:
        | 'commands'
        | 'keys'
        | 'find'
        | 'share'
        | 'export'
        | 'secrets'
        | 'make-component'
        | 'callers';
    }
  | { readonly kind: 'batch'; readonly isComparison?: true; readonly nodeId?: string }
  | { readonly kind: 'choose-model'; readonly placement: Placement; readonly text?: string }
  | { readonly kind: 'component' | 'replace-model' | 'variations'; readonly nodeId: string }
  /** `id` of the approval. */
  | { readonly kind: 'approval'; readonly id: string }
  | { readonly kind: 'result'; readonly nodeId: string; readonly index?: number };

/** The panels that can be docked beside the board. */
export type DockKind = 'automations' | 'library' | 'runs' | 'versions';

/** A partial run that is about to start. */
export interface PlannedRun {
  readonly kind: RunKind;
  readonly request: RunRequest;
  /** Whether each node will run, by node id. Nodes outside the run are absent. */
  readonly states: ReadonlyMap<string, 'run' | 'cached' | 'reused'>;
  /** Absent until the service has computed the price. */
  readonly estimate?: Estimate;
}

/** A comparison of the board with one of its versions. */
export interface VersionDiff {
  readonly version: number;
  /** The board at the time of the comparison. */
  readonly board: Board;
  readonly difference: Difference;
}

export interface View {
  readonly diff?: VersionDiff | undefined;
  /** Nodes that were just changed elsewhere, and the name of the author or a neutral text. */
  readonly changedByOthers?: { readonly name: string; readonly ids: ReadonlySet<string> } | undefined;
  readonly plan?: PlannedRun | undefined;
  readonly panel: Panel | undefined;
  readonly dock: DockKind | undefined;
  /** The lint issues of the board, by node. Issues of an edge belong to its target node. */
  readonly issues: ReadonlyMap<string, readonly LintIssue[]>;
  /** The start of the connection that the user is making, by pointer or keyboard. */
  readonly connecting: PortRef | undefined;
  /** The port under the pointer where the connection cannot end, and why. */
  readonly rejection?: { readonly port: PortRef; readonly text: string } | undefined;
  /** How the next drag selects nodes. */
  readonly tool: 'box' | 'lasso' | undefined;
  /** Collapsed groups, whose nodes are hidden in this browser. */
  readonly collapsed: ReadonlySet<string>;
  /** The open context menu, at a position in window pixels. */
  readonly menu: { readonly position: Position; readonly isOnNode: boolean } | undefined;
  /** Text for screen readers. */
  readonly announcement: string;
}

/** Actions of the canvas for other components. Available once the canvas is mounted. */
export interface CanvasActions {
  getCenter(): Position;
  /** Returns the pointer position in window pixels, or undefined if it is not over the board. */
  getPointerPosition(): Position | undefined;
  /** Converts board coordinates to window pixels. */
  toScreen(position: Position): Position;
  /**
   * Returns the position for pasted nodes: at the pointer, or at the center if the pointer is not over the board.
   */
  getPastePosition(): Position;
  /** Converts window pixels to board coordinates. */
  toBoard(point: Position): Position;
  /** Shows the nodes in `ids`, or the whole board. */
  zoomToFit(ids?: readonly string[]): void;
  /** Moves the view as little as necessary to show the nodes wholly, also nodes that will be rendered next. */
  reveal(ids: readonly string[]): void;
  /** Reveals and focuses the node. */
  focusNode(id: string): void;
  focus(): void;
}

export interface EditorContextValue {
  readonly session: OpenBoard;
  readonly runs: RunStore;
  readonly view: StoreApi<View>;
  readonly canvas: { current: CanvasActions | undefined };
  /** The calls through which this workflow is open as a component, from the outermost workflow inward. */
  readonly trail: readonly TrailStep[];
}

const Context = createContext<EditorContextValue | undefined>(undefined);

export function EditorProvider({
  value,
  children,
}: {
  readonly value: EditorContextValue;
  readonly children: ReactNode;
}) {
  return <Context value={value}>{children}</Context>;
}

export const createView = (): StoreApi<View> =>
  createStore<View>(() => ({
    panel: undefined,
    dock: undefined,
    issues: new Map(),
    connecting: undefined,
    tool: undefined,
    collapsed: new Set(),
    menu: undefined,
    announcement: '',
  }));

export function useEditor(): EditorContextValue {
  const value = useContext(Context);
  if (value === undefined) throw new Error('useEditor must be used inside EditorProvider.');
  return value;
}

/** Selects a part of the board's state. */
export function useBoard<T>(select: (state: BoardState) => T): T {
  return useStore(useEditor().session.store, select);
}

export function useView<T>(select: (view: View) => T): T {
  return useStore(useEditor().view, select);
}

export function useRun<T>(select: (state: RunState) => T): T {
  return useStore(useEditor().runs, select);
}

/** Returns the state of the node in the run that the board shows, if there is one. */
export function useNodeRun(nodeId: string): NodeState | ComponentNodeState | undefined {
  return useRun(({ nodes, callStates }) => nodes.get(nodeId) ?? callStates.get(nodeId));
}

/** Returns what the node displays: its state in the run on the board, or its result of an earlier run. */
export function useDisplayedNode(nodeId: string): NodeDisplay | undefined {
  return useRun(({ nodeDisplays }) => nodeDisplays.get(nodeId));
}
