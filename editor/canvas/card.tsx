// Renders a node: title, ports, settings and result.

import type { NodeProps } from '@xyflow/react';
import { memo } from 'react';
import { isBypassed } from '../../src/graph/bypass.ts';
import { isComponentCall } from '../../src/graph/components/calls.ts';
import { getPortOffset } from '../../src/graph/dims.ts';
import { canConnect } from '../board/wiring.ts';
import { messages } from '../flow-messages.ts';
import { useBoard, useDisplayedNode, useEditor, useNodeRun, useView } from '../session/editor-context.tsx';
import { NodeResult } from '../session/runs/node-result.tsx';
import { getPin } from '../session/runs/pins.ts';
import styles from './card.module.css';
import type { CardPort, FlowNode, FlowNodeData } from './card-cache.ts';
import { CardField } from './card-field.tsx';
import { hasPreview, layoutCard } from './card-parts.ts';
import { getCategory } from './colors.ts';
import { CategoryIcon } from './icons.tsx';
import { BypassMark, IssueMark, NewerVersionMark, PinMark, ProviderMark, RunMark } from './node-marks.tsx';
import { Port } from './port.tsx';
import { PresenceMark } from './presence-mark.tsx';

/** Ignores the position: React Flow moves a node without rendering its card again. */
const hasSameContent = (previous: NodeProps<FlowNode>, next: NodeProps<FlowNode>): boolean =>
  previous.width === next.width &&
  previous.height === next.height &&
  previous.id === next.id &&
  previous.data.node.data === next.data.node.data &&
  previous.data.entry === next.data.entry &&
  previous.data.inputs === next.data.inputs &&
  previous.data.outputs === next.data.outputs &&
  previous.data.fields === next.data.fields &&
  previous.data.changed === next.data.changed;

export const Card = memo(function Card({ data }: NodeProps<FlowNode>) {
  const { node, entry, typeLabel, inputs, outputs } = data;
  const getFit = useFits(node.id);
  const run = useNodeRun(node.id);
  const displayedNode = useDisplayedNode(node.id);
  const plannedState = useView(view => view.plan && (view.plan.states.get(node.id) ?? 'excluded'));
  const diffStatus = useView(view => view.diff?.difference.statuses.get(node.id));
  const changedBy = useView(({ changedByOthers }) =>
    changedByOthers?.ids.has(node.id) ? changedByOthers.name : undefined,
  );
  const rejection = useView(view => (view.rejection?.port.nodeId === node.id ? view.rejection : undefined));
  const getRejection = ({ handle }: CardPort): string | undefined =>
    rejection?.port.handle === handle ? rejection.text : undefined;
  const category = getCategory(data);
  const rows = Math.max(inputs.length, outputs.length);
  return (
    <div
      className={styles.card}
      style={{ '--category': `var(--category-${category})` } as React.CSSProperties}
      data-run={run?.status.toLowerCase()}
      data-plan={plannedState}
      data-diff={diffStatus}
      data-bypassed={isBypassed(node) || undefined}
    >
      <PresenceMark nodeId={node.id} />
      {changedBy !== undefined && (
        <span className={styles.changedBy} aria-hidden>
          {changedBy}
        </span>
      )}
      <Passes data={data} />
      <header className={styles.head}>
        <span className={styles.icon}>
          <CategoryIcon category={category} />
        </span>
        <span className={styles.titles}>
          <span className={styles.title}>{node.data.label}</span>
          <span className={styles.type}>{displayedNode?.detail ?? typeLabel}</span>
        </span>
        {isBypassed(node) && <BypassMark />}
        {getPin(node) !== undefined && <PinMark />}
        {isComponentCall(node) && <NewerVersionMark node={node} />}
        {entry?.provider !== undefined && <ProviderMark provider={entry.provider} />}
        {run ? <RunMark run={run} /> : <IssueMark nodeId={node.id} />}
      </header>
      <div className={styles.ports}>
        {Array.from({ length: rows }, (_, row) => {
          const [input, output] = [inputs[row], outputs[row]];
          return (
            <div key={input?.handle ?? output?.handle} className={styles.row}>
              {input ? (
                <Port
                  nodeLabel={node.data.label}
                  port={input}
                  fit={getFit(input)}
                  rejection={getRejection(input)}
                />
              ) : (
                <span />
              )}
              {output && (
                <Port
                  nodeLabel={node.data.label}
                  port={output}
                  fit={getFit(output)}
                  rejection={getRejection(output)}
                />
              )}
            </div>
          );
        })}
      </div>
      <CardSettings data={data} />
      <NodeResult node={node} run={displayedNode} hasPreview={hasPreview(data)} />
    </div>
  );
}, hasSameContent);

/** Draws lines from the inputs of a bypassed node to the outputs that pass their values on. */
function Passes({ data: { passes } }: { readonly data: FlowNodeData }) {
  if (passes.length === 0) return null;
  return (
    <svg className={styles.passes} aria-hidden>
      {passes.map(({ input, output }) => (
        <line key={output} x1="0" x2="100%" y1={getPortOffset(input)} y2={getPortOffset(output)} />
      ))}
    </svg>
  );
}

type PortFit = 'yes' | 'no' | undefined;
const NO_FIT = (): PortFit => undefined;

/** Returns a function that says, while connecting, whether the connection can end at a port. */
function useFits(nodeId: string): (port: CardPort) => PortFit {
  const { session } = useEditor();
  const from = useView(view => view.connecting);
  const board = useBoard(state => (from === undefined ? undefined : state.board));
  if (from === undefined || board === undefined) return NO_FIT;
  return ({ handle }) => {
    const isStart = from.nodeId === nodeId && from.handle === handle;
    return isStart || canConnect(board, session.catalog, from, { nodeId, handle }) ? 'yes' : 'no';
  };
}

function CardSettings({ data }: { readonly data: FlowNodeData }) {
  const { fields, chips } = layoutCard(data);
  const { id, data: nodeData } = data.node;
  return (
    <>
      {fields.map(({ field, height }) => (
        <CardField key={field.id} nodeId={id} nodeLabel={nodeData.label} field={field} height={height} />
      ))}
      {chips && (
        <ul className={styles.chips} aria-label={messages.flow.changedSettings}>
          {chips.texts.map(text => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </>
  );
}
