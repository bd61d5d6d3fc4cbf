// Changes the list of slides of a video template. Each slide has ports of its own, so that its connections move with it.
import type { VideoTemplate } from '../../sdk/src/schemas.ts';
import type { Catalog } from '../../src/graph/catalog.ts';
import { toHandle } from '../../src/graph/handles.ts';
import { type GraphNode, isJsonObject, type Json } from '../../src/graph/types.ts';
import { apply, type Board, type Change } from './board.ts';
import { remove, replaceEdge, setConfig } from './edits.ts';

/** A member of each slide that has a port. */
export interface Slot {
  /** The key of the member. Empty if the slide itself is the value. */
  readonly key: string;
  readonly label: string;
  readonly portType: string;
  /** Returns the port of the slide, which the template numbers. */
  readonly getPortId: (slide: number) => string;
}

/** Returns the slots of a list prop of the template. */
export function listSlots(
  { inputMappings }: Pick<VideoTemplate, 'inputMappings'>,
  prop: string,
): readonly Slot[] {
  return inputMappings.flatMap(({ propPath, portId, portLabel, portType }): Slot[] => {
    const [list, index, ...keys] = propPath.split('.');
    const first = /\d+$/.exec(portId)?.[0];
    if (list !== prop || index !== '0' || keys.length > 1 || first === undefined) return [];
    const stem = portId.slice(0, -first.length);
    return [
      {
        key: keys[0] ?? '',
        label: portLabel.replace(/ ?\d+$/, ''),
        portType,
        getPortId: slide => `${stem}${Number(first) + slide}`,
      },
    ];
  });
}

/** Returns whether the port belongs to a slide of one of the list props. */
export function isSlidePort(
  { inputMappings }: Pick<VideoTemplate, 'inputMappings'>,
  portId: string,
  props: readonly string[],
): boolean {
  const stem = portId.replace(/\d+$/, '');
  return (
    stem !== portId &&
    inputMappings.some(
      ({ propPath, portId: other }) =>
        props.some(prop => propPath.startsWith(`${prop}.`)) && other.replace(/\d+$/, '') === stem,
    )
  );
}

export interface SlideList {
  readonly node: GraphNode;
  readonly prop: string;
  readonly slots: readonly Slot[];
}

interface NewSlides {
  readonly slides: readonly Json[];
  /** For each slide its index before, or undefined for a new one. */
  readonly order: readonly (number | undefined)[];
  /** The number of slides before. */
  readonly countBefore: number;
}

/** Sets the slides, and moves their connections. Removes the connections of removed slides. */
export function setSlides(
  board: Board,
  catalog: Catalog,
  { node, prop, slots }: SlideList,
  { slides, order, countBefore }: NewSlides,
): readonly Change[] {
  const props = isJsonObject(node.data.config?.props) ? node.data.config.props : {};
  const changes: Change[] = [...setConfig(board, catalog, node.id, { props: { ...props, [prop]: slides } })];
  const lostEdges: string[] = [];
  const handles = new Map(
    slots.flatMap(slot =>
      Array.from({ length: countBefore }, (_, slide) => {
        const after = order.indexOf(slide);
        const handle = after < 0 ? undefined : toHandle('in', slot.getPortId(after));
        return [toHandle('in', slot.getPortId(slide)), handle] as const;
      }),
    ),
  );
  for (const { id, target, targetHandle } of board.edges) {
    if (target !== node.id || typeof targetHandle !== 'string' || !handles.has(targetHandle)) continue;
    const after = handles.get(targetHandle);
    if (after === undefined) lostEdges.push(id);
    else if (after !== targetHandle)
      changes.push(...replaceEdge(board, id, edge => ({ ...edge, targetHandle: after })));
  }
  return [...changes, ...remove(apply(board, changes), { edges: lostEdges })];
}
