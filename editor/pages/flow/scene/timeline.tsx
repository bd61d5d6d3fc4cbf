// Renders the preview at the playhead and the timeline of scenes and layers.
import type { JsonObject } from '../../../../src/graph/types.ts';
import { messages } from '../../../flow-messages.ts';
import { toErrorMessage } from '../../../kit/failure.tsx';
import { Spinner } from '../../../kit/spinner.tsx';
import { getDurationSeconds, getFps, type Layer, type Path } from './layers.ts';
import styles from './scene.module.css';
import { usePreview } from './use-preview.ts';

const sceneMessages = messages.flow.scene;
/** Approximate size of the preview on screen. */
const DISPLAY_PX = 720;
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
  const fps = getFps(graph);
  const total = Math.max(getDurationSeconds(graph), 1 / fps);
  const lastFrameTime = Math.max(0, total - 1 / fps);
  const shownTime = Math.min(time, lastFrameTime);
  const scenes = layers.filter(({ kind }) => kind === 'scene');
  const rows = layers.filter(layer => isInTimeline(layer, selected)).slice(0, MAX_ROWS);
  const renderBar = (layer: Layer) => (
    <Bar key={layer.path.join('/')} {...{ layer, total, selected, onSelect }} />
  );
  return (
    <>
      <Preview graph={graph} time={shownTime} />
      <div className={styles.strip}>
        <label className={styles.playhead}>
          <span>{sceneMessages.time(shownTime.toFixed(2), total.toFixed(2))}</span>
          <input
            type="range"
            aria-label={sceneMessages.playhead}
            min={0}
            max={lastFrameTime}
            step={1 / fps}
            value={shownTime}
            onChange={({ target }) => onTime(Number(target.value))}
          />
        </label>
        <div className={styles.bars}>
          <div className={styles.barRow}>{scenes.map(renderBar)}</div>
          {rows.map(layer => (
            <div key={layer.path.join('/')} className={styles.barRow}>
              {renderBar(layer)}
            </div>
          ))}
          <span className={styles.cursor} style={{ left: `${(shownTime / total) * 100}%` }} aria-hidden />
        </div>
      </div>
    </>
  );
}

/** Returns whether the timeline shows a layer: layers of the selected scene, and those outside of scenes. */
function isInTimeline({ kind, path, depth }: Layer, selected: Path): boolean {
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

function Preview({ graph, time }: { readonly graph: JsonObject; readonly time: number }) {
  const [width, height] = [Number(graph.width) || 16, Number(graph.height) || 9];
  const scale = Math.min(1, Math.max(0.1, DISPLAY_PX / Math.max(width, height)));
  const { preview, error, isFetching } = usePreview({ source: { sceneGraph: graph }, time, scale });
  const [frame] = preview?.frames ?? [];
  return (
    <figure className={styles.picture} aria-label={sceneMessages.preview} aria-busy={isFetching}>
      {frame && error === null && <img src={frame.url} alt={sceneMessages.preview} />}
      {error !== null && <p role="alert">{toErrorMessage(error)}</p>}
      {isFetching && (
        <span className={styles.busy}>
          <Spinner />
        </span>
      )}
      {preview?.warnings.map(warning => (
        <figcaption key={warning}>{warning}</figcaption>
      ))}
    </figure>
  );
}
