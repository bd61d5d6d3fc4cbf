// Renders the preview at the playhead and the timeline of scenes and layers.
import type { JsonObject } from '../../../../src/graph/types.ts';
import { messages } from '../../../flow-messages.ts';
import { toErrorMessage } from '../../../kit/failure.tsx';
import { Spinner } from '../../../kit/spinner.tsx';
import { fpsOf, type Layer, type Path, secondsOf } from './layers.ts';
import styles from './scene.module.css';
import { useStill } from './use-still.ts';

const sceneMessages = messages.flow.scene;
/** Roughly the display size in pixels. */
const SHOWN_PX = 720;
const MAX_ROWS = 12;

interface TimelineProps {
  readonly graph: JsonObject;
  readonly layers: readonly Layer[];
  readonly selected: Path;
  readonly time: number;
  readonly onSelect: (path: Path) => void;
  readonly onTime: (seconds: number) => void;
}

export function Timeline({ graph, layers, selected, time, onSelect, onTime }: TimelineProps) {
  const fps = fpsOf(graph);
  const total = Math.max(secondsOf(graph), 1 / fps);
  const last = Math.max(0, total - 1 / fps);
  const now = Math.min(time, last);
  const scenes = layers.filter(({ kind }) => kind === 'scene');
  const inside = layers.filter(layer => isShownWith(layer, selected)).slice(0, MAX_ROWS);
  const bar = (layer: Layer) => <Bar key={layer.path.join('/')} {...{ layer, total, selected, onSelect }} />;
  return (
    <>
      <Picture graph={graph} time={now} />
      <div className={styles.strip}>
        <label className={styles.playhead}>
          <span>{sceneMessages.time(now.toFixed(2), total.toFixed(2))}</span>
          <input
            type="range"
            aria-label={sceneMessages.playhead}
            min={0}
            max={last}
            step={1 / fps}
            value={now}
            onChange={({ target }) => onTime(Number(target.value))}
          />
        </label>
        <div className={styles.bars}>
          <div className={styles.barRow}>{scenes.map(bar)}</div>
          {inside.map(layer => (
            <div key={layer.path.join('/')} className={styles.barRow}>
              {bar(layer)}
            </div>
          ))}
          <span className={styles.cursor} style={{ left: `${(now / total) * 100}%` }} aria-hidden />
        </div>
      </div>
    </>
  );
}

/** Layers of the selected scene, and layers over all scenes. */
function isShownWith({ kind, path, depth }: Layer, selected: Path): boolean {
  if (kind === 'video' || kind === 'scene') return false;
  return path[0] !== 'scenes' || (depth === 2 && selected[0] === 'scenes' && path[1] === selected[1]);
}

interface BarProps extends Pick<TimelineProps, 'selected' | 'onSelect'> {
  readonly layer: Layer;
  readonly total: number;
}

function Bar({ layer, total, selected, onSelect }: BarProps) {
  const { path, kind, start, end } = layer;
  const isSelected = path.join('/') === selected.join('/');
  return (
    <button
      type="button"
      className={styles.bar}
      data-kind={kind}
      aria-pressed={isSelected}
      title={sceneMessages.span(start.toFixed(2), end.toFixed(2))}
      style={{ left: `${(start / total) * 100}%`, width: `${(Math.max(0, end - start) / total) * 100}%` }}
      onClick={() => onSelect(path)}
    >
      {sceneMessages.layer(layer)}
    </button>
  );
}

function Picture({ graph, time }: { readonly graph: JsonObject; readonly time: number }) {
  const [width, height] = [Number(graph.width) || 16, Number(graph.height) || 9];
  const scale = Math.min(1, Math.max(0.1, SHOWN_PX / Math.max(width, height)));
  const { still, error, isFetching } = useStill({ source: { sceneGraph: graph }, time, scale });
  const [frame] = still?.frames ?? [];
  return (
    <figure className={styles.picture} aria-label={sceneMessages.still} aria-busy={isFetching}>
      {frame && error === null && <img src={frame.url} alt={sceneMessages.still} />}
      {error !== null && <p role="alert">{toErrorMessage(error)}</p>}
      {isFetching && (
        <span className={styles.busy}>
          <Spinner />
        </span>
      )}
      {still?.warnings.map(warning => (
        <figcaption key={warning}>{warning}</figcaption>
      ))}
    </figure>
  );
}
