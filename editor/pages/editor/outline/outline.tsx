// Renders the workflow on phones: an outline of its nodes with their results, then the runs, and a switch to the
// canvas.

import { isBypassed } from '../../../../src/graph/bypass.ts';
import { findNode } from '../../../board/board.ts';
import { getTabOrder } from '../../../board/wiring.ts';
import { getCategory } from '../../../canvas/colors.ts';
import { CategoryIcon } from '../../../canvas/icons.tsx';
import { BypassMark, RunMark } from '../../../canvas/node-marks.tsx';
import { messages } from '../../../flow-messages.ts';
import {
  useBoard,
  useDisplayedNode,
  useEditor,
  useNodeRun,
  useView,
} from '../../../session/editor-context.tsx';
import { ResultView } from '../../../session/runs/result-view.tsx';
import { findShownState, getNodeResults, isResultOutdated } from '../../../session/runs/results.ts';
import { RunList } from '../docks/runs.tsx';
import styles from './outline.module.css';

const flowMessages = messages.flow;

export function PhoneViews({
  isCanvas,
  onChange,
}: {
  readonly isCanvas: boolean;
  readonly onChange: (isCanvas: boolean) => void;
}) {
  return (
    <fieldset className={styles.views} aria-label={flowMessages.views}>
      <button type="button" aria-pressed={!isCanvas} onClick={() => onChange(false)}>
        {flowMessages.outline}
      </button>
      <button type="button" aria-pressed={isCanvas} onClick={() => onChange(true)}>
        {flowMessages.canvasView}
      </button>
    </fieldset>
  );
}

export function Outline() {
  const { session } = useEditor();
  const board = useBoard(state => state.board);
  return (
    <div className={styles.outline} data-focus-region="canvas">
      <ul aria-label={flowMessages.outline} className={styles.nodes}>
        {getTabOrder(board).map(id => (
          <OutlineNode key={id} id={id} />
        ))}
      </ul>
      {!session.isReadOnly && (
        <section aria-label={flowMessages.runsAndResults} className={styles.runs}>
          <h2>{flowMessages.runsAndResults}</h2>
          <RunList />
        </section>
      )}
    </div>
  );
}

function OutlineNode({ id }: { readonly id: string }) {
  const { session, view } = useEditor();
  const node = useBoard(({ board }) => findNode(board, id));
  const run = useNodeRun(id);
  const displayedNode = useDisplayedNode(id);
  const issues = useView(state => state.issues.get(id)) ?? [];
  const errors = issues.filter(({ severity }) => severity === 'error').length;
  if (node === undefined) return null;
  const entry = session.catalog.find(node.data.nodeType);
  const shown = findShownState(node, displayedNode);
  const isOutdated = isResultOutdated(node, shown);
  const results = getNodeResults(node, displayedNode);
  const { value, prompt, template, text: ownText } = node.data.config ?? {};
  const text = value ?? prompt ?? template ?? ownText;
  return (
    <li className={styles.node}>
      <button type="button" className={styles.head} onClick={() => session.store.actions.select([id])}>
        <CategoryIcon category={getCategory({ node, entry })} />
        <span className={styles.names}>
          <strong>{node.data.label}</strong>
          <span>{displayedNode?.detail ?? entry?.label ?? flowMessages.unknownType(node.data.nodeType)}</span>
        </span>
        {isBypassed(node) && <BypassMark />}
        {run && <RunMark run={run} />}
        {issues.length > 0 && (
          <span className={styles.issues} data-severity={errors > 0 ? 'error' : 'warning'}>
            {flowMessages.issueCount(errors, issues.length - errors)}
          </span>
        )}
      </button>
      {typeof text === 'string' && text !== '' && <p className={styles.text}>{text}</p>}
      {displayedNode?.previewUrl && (
        <figure className={styles.results} aria-label={flowMessages.previewOf(node.data.label)}>
          <img src={displayedNode.previewUrl} alt="" />
        </figure>
      )}
      {results.length > 0 && (
        <figure className={styles.results} aria-label={flowMessages.resultOf(node.data.label)}>
          {results.map((result, index) => (
            <ResultView
              // biome-ignore lint/suspicious/noArrayIndexKey: results have no id and never change their order
              key={index}
              result={result}
              isSmall
              onOpen={() => view.setState({ panel: { kind: 'result', nodeId: shown?.nodeId ?? id, index } })}
            />
          ))}
          {(isOutdated || shown?.fromSample) && (
            <figcaption className={styles.outdated}>
              {isOutdated ? flowMessages.outdatedResult : flowMessages.sampleResult}
            </figcaption>
          )}
        </figure>
      )}
    </li>
  );
}
