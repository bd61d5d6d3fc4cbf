// Renders the results of a run, each with the name of its node.
import { type Execution, hasEnded, type Output } from '../../../sdk/src/types.ts';
import { JsonTree } from '../../kit/json-tree.tsx';
import { MediaView } from '../../kit/media-view.tsx';
import { lazyComponent } from '../../lib/lazy-component.ts';
import type { ResultActionsProps } from '../../session/results/result-actions.tsx';
import { TruncatedNote } from '../../session/runs/truncated-note.tsx';
import { messages } from './messages.ts';
import styles from './page.module.css';

const ResultActions = lazyComponent<ResultActionsProps>(
  async () => (await import('../../session/results/result-actions.tsx')).ResultActions,
);

/** Longer text would slow down the page. The copy button copies the full stored text. */
const MAX_CHARS = 20_000;

interface ResultsProps {
  readonly run: Execution;
  /** Whether the user reads the run as an administrator, who may lack access to the workflow. */
  readonly asAdmin: boolean;
}

export function Results({ run, asAdmin }: ResultsProps) {
  const { id, outputs, nodeStates } = run;
  const source = asAdmin ? {} : { executionId: id, workflowId: run.workflowId };
  const truncatedNodeIds = new Set(nodeStates.filter(state => state.truncated).map(({ nodeId }) => nodeId));
  if (outputs.length === 0)
    return <p className={styles.muted}>{hasEnded(run) ? messages.noResults : messages.noResultsYet}</p>;
  return (
    <ul className={styles.results}>
      {outputs.map((output, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: results have no id and never change their order
        <li key={`${output.nodeId} ${index}`}>
          <Result output={output} source={source} />
          {truncatedNodeIds.has(output.nodeId) && <TruncatedNote executionId={id} nodeId={output.nodeId} />}
        </li>
      ))}
    </ul>
  );
}

interface ResultProps {
  readonly output: Output;
  readonly source: Pick<ResultActionsProps, 'executionId' | 'workflowId'>;
}

function Result({ output, source }: ResultProps) {
  const { label, url } = output;
  return (
    <figure className={styles.result} aria-label={label}>
      {url === undefined ? (
        <TextResult output={output} source={source} />
      ) : (
        <MediaResult output={output} source={source} url={url} />
      )}
    </figure>
  );
}

function TextResult({ output, source }: ResultProps) {
  const text = toText(output);
  return (
    <>
      {typeof output.value === 'object' ? (
        <JsonTree value={output.value} />
      ) : (
        <p className={styles.text}>
          {text.slice(0, MAX_CHARS)}
          {text.length > MAX_CHARS && messages.truncatedText}
        </p>
      )}
      <figcaption>
        <span>{output.label}</span>
        <Actions output={output} source={source} result={{ kind: 'text', text }} />
      </figcaption>
    </>
  );
}

/** The page is that of the run, so the actions do not open it. */
function Actions({ output, source, result }: ResultProps & Pick<ResultActionsProps, 'result'>) {
  return <ResultActions result={result} label={output.label} nodeId={output.nodeId} omit="run" {...source} />;
}

function MediaResult({ output, source, url }: ResultProps & { readonly url: string }) {
  const { label, render } = output;
  return (
    <>
      <MediaView url={url} posterUrl={render?.posterUrl} label={label} contentType={toContentType(output)} />
      <figcaption>
        <span>{label}</span>
        {output.seed !== undefined && <span className={styles.muted}>{messages.seed(output.seed)}</span>}
        <a href={url} target="_blank" rel="noreferrer">
          {messages.openFile(label)}
        </a>
        <Actions
          output={output}
          source={source}
          result={{ kind: 'media', url, contentType: toContentType(output), seed: output.seed }}
        />
      </figcaption>
    </>
  );
}

/** Derives the content type from the port type, because the URL may have no file extension. */
function toContentType({ type }: Output): string | undefined {
  return ['IMAGE', 'VIDEO', 'AUDIO'].includes(type) ? `${type.toLowerCase()}/*` : undefined;
}

function toText({ text, value }: Output): string {
  return text ?? JSON.stringify(value, null, 2) ?? '';
}
