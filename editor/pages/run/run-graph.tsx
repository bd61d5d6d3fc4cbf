// Renders the graph of a run as a small SVG: boxes in the color of their status, curves for edges.

import type { NodeState } from '../../../sdk/src/types.ts';
import type { Catalog } from '../../../src/graph/catalog.ts';
import { getDims } from '../../../src/graph/dims.ts';
import { isGroup, isNote } from '../../../src/graph/layout/groups.ts';
import { getBoundingBox, type Rect } from '../../../src/graph/rects.ts';
import type { Graph, GraphNode } from '../../../src/graph/types.ts';
import { classNames } from '../../kit/class-names.ts';
import { shorten } from '../../lib/cut-text.ts';
import { messages } from './messages.ts';
import styles from './run-graph.module.css';

/** A catalog without entries, because ports do not affect the sizes at this scale. */
const EMPTY_CATALOG: Catalog = {
  entries: [],
  find: () => undefined,
  ports: () => ({ inputs: [], outputs: [] }),
};
const MARGIN = 40;
const LINE_HEIGHT = 26;

interface NodeBox {
  readonly node: GraphNode;
  readonly rect: Rect;
}

export function RunGraph({
  graph,
  states,
}: {
  readonly graph: Graph;
  readonly states: ReadonlyMap<string, NodeState>;
}) {
  const boxes = graph.nodes
    .filter(node => !isGroup(node, EMPTY_CATALOG) && !isNote(node, EMPTY_CATALOG))
    .map(toBox);
  const boxesById = new Map(boxes.map(box => [box.node.id, box]));
  const { x, y, width, height } = getBoundingBox(boxes.map(({ rect }) => rect)) ?? {
    x: 0,
    y: 0,
    width: 1,
    height: 1,
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls
    <section className={styles.frame} aria-label={messages.graphLabel} tabIndex={0}>
      <svg
        viewBox={`${x - MARGIN} ${y - MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}`}
        className={styles.graph}
        style={{ maxWidth: `${(width + 2 * MARGIN) / 1.6}px` }}
        aria-hidden
      >
        {graph.edges.map(({ id, source, target }) => (
          <path
            key={id}
            className={styles.edge}
            d={toCurvePath(boxesById.get(source), boxesById.get(target))}
          />
        ))}
        {boxes.map(({ node, rect }) => (
          <g key={node.id} className={classNames(styles.node, styles[states.get(node.id)?.status ?? 'NONE'])}>
            <rect {...rect} rx={12} />
            <text x={rect.x + 16} y={rect.y + rect.height / 2 + LINE_HEIGHT / 4}>
              {truncateLabel(node.data.label, rect.width)}
            </text>
          </g>
        ))}
      </svg>
    </section>
  );
}

function toBox(node: GraphNode): NodeBox {
  const { width, height } = getDims(node, EMPTY_CATALOG);
  return { node, rect: { ...node.position, width, height } };
}

function toCurvePath(from: NodeBox | undefined, to: NodeBox | undefined): string {
  if (from === undefined || to === undefined) return '';
  const [x1, y1] = [from.rect.x + from.rect.width, from.rect.y + from.rect.height / 2];
  const [x2, y2] = [to.rect.x, to.rect.y + to.rect.height / 2];
  const controlOffset = Math.max(40, Math.abs(x2 - x1) / 2);
  return `M${x1} ${y1}C${x1 + controlOffset} ${y1} ${x2 - controlOffset} ${y2} ${x2} ${y2}`;
}

/** Truncates the label to the width of its box, based on the average character width. */
function truncateLabel(label: string, width: number): string {
  const maxChars = Math.floor((width - 32) / 12);
  return label.length > maxChars ? shorten(label, maxChars - 1) : label;
}
