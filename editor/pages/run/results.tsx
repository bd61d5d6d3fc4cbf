// Renders the results of a run, each with the name of its node.
import { type Execution, hasEnded, type Output } from '../../../sdk/src/types.ts';
import { JsonTree } from '../../kit/json-tree.tsx';
import { MediaView } from '../../kit/media-view.tsx';
import type { ResultActionsProps } from '../../kit/result-actions.tsx';
import { lazyComponent } from '../../lib/lazy-component.ts';
import { TruncatedNote } from '../../session/runs/truncated-note.tsx';
import { messages } from './messages.ts';
import styles from './page.module.css';

const ResultActions = lazyComponent<ResultActionsProps>(
  async () => (await import('../../kit/result-actions.tsx')).ResultActions,
);

/** Longer text would slow down the page. The copy button copies the full stored text. */
const MAX_CHARS = 20_000;

export function Results({ run }: { readonly run: Execution }) {
  const { id, outputs, nodeStates } = run;
  const truncatedNodeIds = new Set(nodeStates.filter(state => state.truncated).map(({ nodeId }) => nodeId));
  if (outputs.length === 0)
    return <p className={styles.muted}>{hasEnded(run) ? messages.noResults : messages.noResultsYet}</p>;
  return (
    <ul className={styles.results}>
      {outputs.map((output, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: results have no id and never change their order
        <li key={`${output.nodeId} ${index}`}>
          <Result output={output} />
          {truncatedNodeIds.has(output.nodeId) && <TruncatedNote executionId={id} nodeId={output.nodeId} />}
        </li>
      ))}
    </ul>
  );
}

function Result({ output }: { readonly output: Output }) {
  const { label, url } = output;
  return (
    <figure className={styles.result} aria-label={label}>
      {url === undefined ? <TextResult output={output} /> : <MediaResult output={output} url={url} />}
    </figure>
  );
}

function TextResult({ output }: { readonly output: Output }) {
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
        <ResultActions text={text} />
      </figcaption>
    </>
  );
}

function MediaResult({ output, url }: { readonly output: Output; readonly url: string }) {
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
        <ResultActions url={url} />
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
