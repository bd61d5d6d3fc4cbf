// Renders the preview at the playhead with a play button, and the timeline of scenes and layers.

import Play from 'icon:play';
import Stop from 'icon:square';
import type { JsonObject } from '../../../../src/graph/types.ts';
import { messages } from '../../../flow-messages.ts';
import { IconButton } from '../../../kit/button.tsx';
import { toErrorMessage } from '../../../kit/failure.tsx';
import { Spinner } from '../../../kit/spinner.tsx';
import { getDurationSeconds, getFps, type Layer, type Path } from './layers.ts';
import { describePreviewError, describeWarning } from './preview-notes.ts';
import type { PreviewValues } from './preview-values.ts';
import styles from './scene.module.css';
import { type Clip, useClip } from './use-clip.ts';
import { usePreview } from './use-preview.ts';
import { usePreviewValues } from './use-preview-values.ts';

const sceneMessages = messages.flow.scene;
/** Approximate size of the preview on screen. */
const DISPLAY_PX = 720;
const MAX_ROWS = 12;
/** Possible seconds between two marks of the ruler, which uses the first step that needs at most MAX_MARKS marks. */
const RULER_STEPS = [0.5, 1, 2, 5, 10, 30, 60, 120];
const MAX_MARKS = 10;

interface TimelineProps {
  readonly nodeId: string;
  readonly graph: JsonObject;
  readonly layers: readonly Layer[];
  readonly selectedPath: Path;
  readonly time: number;
  readonly onSelect: (path: Path) => void;
  readonly onTime: (seconds: number) => void;
}

export function Timeline({ nodeId, graph, layers, selectedPath, time, onSelect, onTime }: TimelineProps) {
  const fps = getFps(graph);
  const total = Math.max(getDurationSeconds(graph), 1 / fps);
  const lastFrameTime = Math.max(0, total - 1 / fps);
  const shownTime = Math.min(time, lastFrameTime);
  const scenes = layers.filter(({ kind }) => kind === 'scene');
  const scale = getScale(graph);
  const values = usePreviewValues(nodeId);
  const clip = useClip(graph, values, scale);
  const isPlaying = clip.url !== undefined || clip.progress !== undefined;
  const rows = layers.filter(layer => isInTimeline(layer, selectedPath)).slice(0, MAX_ROWS);
  const renderBar = (layer: Layer) => (
    <Bar key={layer.path.join('/')} {...{ layer, total, selectedPath, onSelect }} />
  );
  return (
    <>
      {clip.url === undefined ? (
        <Preview {...{ graph, values, scale, clip }} time={shownTime} />
      ) : (
        <Player url={clip.url} start={shownTime} onTime={onTime} onEnd={clip.stop} />
      )}
      <div className={styles.strip}>
        <div className={styles.playhead}>
          <IconButton
            icon={isPlaying ? Stop : Play}
            label={isPlaying ? sceneMessages.stop : sceneMessages.play}
            size="s"
            onClick={isPlaying ? clip.stop : clip.start}
          />
          <input
            type="range"
            aria-label={sceneMessages.playhead}
            min={0}
            max={lastFrameTime}
            step={1 / fps}
            value={shownTime}
            onChange={({ target }) => {
              clip.stop();
              onTime(Number(target.value));
            }}
          />
          <span>{sceneMessages.time(shownTime.toFixed(2), total.toFixed(2))}</span>
        </div>
        <div className={styles.bars}>
          <Ruler total={total} />
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

/** Returns whether the timeline shows a layer: layers of the selected scene, and layers outside of scenes. */
function isInTimeline({ kind, path, depth }: Layer, selectedPath: Path): boolean {
  if (kind === 'video' || kind === 'scene') return false;
  return path[0] !== 'scenes' || (depth === 2 && selectedPath[0] === 'scenes' && path[1] === selectedPath[1]);
}

function Ruler({ total }: { readonly total: number }) {
  const step = RULER_STEPS.find(seconds => total / seconds <= MAX_MARKS) ?? total / MAX_MARKS;
  const marks = Array.from({ length: Math.floor(total / step) + 1 }, (_, index) => index * step);
  return (
    <div className={styles.ruler} aria-hidden>
      {marks.map(seconds => (
        <span key={seconds} style={{ left: `${(seconds / total) * 100}%` }}>
          {sceneMessages.mark(Number(seconds.toFixed(1)))}
        </span>
      ))}
    </div>
  );
}

interface BarProps extends Pick<TimelineProps, 'selectedPath' | 'onSelect'> {
  readonly layer: Layer;
  readonly total: number;
}

function Bar({ layer, total, selectedPath, onSelect }: BarProps) {
  const { path, kind, start, end } = layer;
  const isSelected = path.join('/') === selectedPath.join('/');
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

function getScale(graph: JsonObject): number {
  const [width, height] = [Number(graph.width) || 16, Number(graph.height) || 9];
  return Math.min(1, Math.max(0.1, DISPLAY_PX / Math.max(width, height)));
}

interface PlayerProps {
  readonly url: string;
  /** In seconds. */
  readonly start: number;
  readonly onTime: (seconds: number) => void;
  readonly onEnd: () => void;
}

function Player({ url, start, onTime, onEnd }: PlayerProps) {
  return (
    <div className={styles.picture}>
      {/* biome-ignore lint/a11y/useMediaCaption: the scenes have no other captions than those in the picture */}
      <video
        src={url}
        autoPlay
        playsInline
        aria-label={sceneMessages.preview}
        onLoadedMetadata={({ currentTarget }) => {
          currentTarget.currentTime = start;
        }}
        onTimeUpdate={({ currentTarget }) => onTime(currentTarget.currentTime)}
        onEnded={onEnd}
      />
    </div>
  );
}

interface PreviewProps {
  readonly graph: JsonObject;
  readonly values: PreviewValues;
  readonly time: number;
  readonly scale: number;
  /** The clip that is being rendered, if there is one. */
  readonly clip: Clip;
}

function Preview({ graph, values, time, scale, clip }: PreviewProps) {
  const { preview, error, isFetching } = usePreview({ source: { sceneGraph: graph }, values, time, scale });
  const [frame] = preview?.frames ?? [];
  return (
    <figure className={styles.picture} aria-label={sceneMessages.preview} aria-busy={isFetching}>
      {frame && <img src={frame.url} alt={sceneMessages.preview} />}
      {error !== null && <p role="alert">{describePreviewError(error, graph) ?? toErrorMessage(error)}</p>}
      {clip.error !== undefined && <p role="alert">{clip.error}</p>}
      {clip.progress !== undefined && (
        <p className={styles.rendering} role="status">
          {sceneMessages.rendering(clip.progress)}
        </p>
      )}
      {isFetching && (
        <span className={styles.busy}>
          <Spinner />
        </span>
      )}
      {preview?.warnings.map(warning => (
        <figcaption key={warning}>{describeWarning(warning, graph)}</figcaption>
      ))}
    </figure>
  );
}
