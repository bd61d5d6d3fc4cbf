// Renders the value of each input node in a run, as text, picture or player.
import type { Execution, NodeState } from '../../../sdk/src/types.ts';
import { hasEnded } from '../../../sdk/src/types.ts';
import { isInputNode } from '../../../src/graph/input-nodes.ts';
import type { Graph } from '../../../src/graph/types.ts';
import { Badge } from '../../kit/badge.tsx';
import { JsonTree } from '../../kit/json-tree.tsx';
import { MediaView } from '../../kit/media-view.tsx';
import { getResults, type Result } from '../../session/runs/results.ts';
import { messages } from './messages.ts';
import styles from './page.module.css';

export function Inputs({ run, graph }: { readonly run: Execution; readonly graph: Graph | undefined }) {
  const ids = new Set(graph?.nodes.filter(isInputNode).map(({ id }) => id));
  const inputs = run.nodeStates.filter(({ nodeId }) => ids.has(nodeId));
  return (
    <section>
      <h2>{messages.inputs}</h2>
      {inputs.length === 0 && graph !== undefined && <p className={styles.muted}>{messages.noInputs}</p>}
      <dl className={styles.inputs}>
        {inputs.map(state => (
          <Input key={state.nodeId} run={run} state={state} />
        ))}
      </dl>
    </section>
  );
}

function Input({ run, state }: { readonly run: Execution; readonly state: NodeState }) {
  const results = getResults(state);
  const isSetForRun = run.inputs[state.nodeId] !== undefined;
  return (
    <div>
      <dt>
        {state.label} {isSetForRun && <Badge tone="accent">{messages.changedInput}</Badge>}
      </dt>
      <dd>
        {results.map((result, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: inputs have no id and never change their order
          <InputValue key={index} result={result} label={state.label} />
        ))}
        {results.length === 0 && (
          <span className={styles.muted}>{hasEnded(run) ? messages.emptyInput : messages.pendingInput}</span>
        )}
      </dd>
    </div>
  );
}

function InputValue({ result, label }: { readonly result: Result; readonly label: string }) {
  if (result.kind === 'media') return <MediaView {...result} label={label} />;
  if (result.kind === 'text') return <p className={styles.text}>{result.text}</p>;
  return typeof result.value === 'object' ? (
    <JsonTree value={result.value} />
  ) : (
    <p className={styles.text}>{String(result.value)}</p>
  );
}
