// Renders a small map of the board. A click on a node adds the node to the inputs or results of an app, or removes it.

import Check from 'icon:check';
import { isInputNode } from '../../../../../src/graph/input-nodes.ts';
import { getBoundingBox, type Rect } from '../../../../../src/graph/rects.ts';
import { getNodeRect } from '../../../../board/node-size.ts';
import { messages } from '../../../../flow-messages.ts';
import formStyles from '../../../../kit/form.module.css';
import { useBoard, useEditor } from '../../../../session/editor-context.tsx';
import styles from './app.module.css';

const appMessages = messages.flow.app;
/** Maximum height of the map, as a fraction of its width. */
const MAX_HEIGHT_RATIO = 0.6;

interface NodePickerProps {
  readonly inputIds: readonly string[];
  readonly outputIds: readonly string[];
  readonly onToggle: (nodeId: string) => void;
}

export function NodePicker({ inputIds, outputIds, onToggle }: NodePickerProps) {
  const { session } = useEditor();
  const board = useBoard(state => state.board);
  const nodes = board.nodes.filter(({ data }) => !/^utility:(?:group|sticky_note)$/.test(data.nodeType));
  const rects = nodes.map(node => getNodeRect(node, session.catalog));
  const bounds = getBoundingBox(rects);
  if (bounds === undefined) return <p className={formStyles.muted}>{appMessages.noNodes}</p>;
  const height = Math.min(MAX_HEIGHT_RATIO, bounds.height / Math.max(1, bounds.width));
  const aspectRatio = 1 / Math.max(0.2, height);
  const rectsById = new Map(nodes.map(({ id }, index) => [id, rects[index]]));
  const toPercent = (value: number, total: number): string => `${(100 * value) / Math.max(1, total)}%`;
  return (
    <fieldset className={styles.map}>
      <legend>{appMessages.pick}</legend>
      <div className={styles.area} style={{ aspectRatio, maxWidth: `calc(${aspectRatio} * 18rem)` }}>
        <svg
          aria-hidden
          className={styles.wires}
          viewBox={`${bounds.x} ${bounds.y} ${bounds.width} ${bounds.height}`}
          preserveAspectRatio="none"
        >
          {board.edges.map(({ id, source, target }) => (
            <path key={id} d={drawWire(rectsById.get(source), rectsById.get(target))} />
          ))}
        </svg>
        {nodes.map((node, index) => {
          const rect = rects[index] ?? bounds;
          const kind = isInputNode(node) ? 'input' : 'output';
          const isPicked = (kind === 'input' ? inputIds : outputIds).includes(node.id);
          return (
            <button
              key={node.id}
              type="button"
              className={styles.node}
              aria-pressed={isPicked}
              aria-label={appMessages.pickNode(node.data.label, kind)}
              title={node.data.label}
              style={{
                left: toPercent(rect.x - bounds.x, bounds.width),
                top: toPercent(rect.y - bounds.y, bounds.height),
                width: toPercent(rect.width, bounds.width),
                height: toPercent(rect.height, bounds.height),
              }}
              onClick={() => onToggle(node.id)}
            >
              <small>
                {isPicked && <Check />}
                {`${appMessages.kinds[kind]} `}
              </small>
              <span>{node.data.label}</span>
            </button>
          );
        })}
      </div>
    </fieldset>
  );
}

/** Draws a curve from the right side of one node to the left side of another. */
function drawWire(from: Rect | undefined, to: Rect | undefined): string {
  if (from === undefined || to === undefined) return '';
  const [startX, startY] = [from.x + from.width, from.y + from.height / 2];
  const [endX, endY] = [to.x, to.y + to.height / 2];
  const bend = Math.max(40, Math.abs(endX - startX) / 2);
  return `M${startX} ${startY}C${startX + bend} ${startY} ${endX - bend} ${endY} ${endX} ${endY}`;
}
