// Renders a preview frame of a video node, with a slider for its time. Updates when the settings change.
import Clapperboard from 'icon:clapperboard';
import { lazy, Suspense, useState } from 'react';
import { type GraphNode, isJsonObject, type Json, type JsonObject } from '../../../../src/graph/types.ts';
import { messages } from '../../../flow-messages.ts';
import { Button } from '../../../kit/button.tsx';
import { toErrorMessage } from '../../../kit/failure.tsx';
import { Spinner } from '../../../kit/spinner.tsx';
import { describePreviewError, describeWarning } from '../video-editor/preview-notes.ts';
import { usePreview } from '../video-editor/use-preview.ts';
import { usePreviewValues } from '../video-editor/use-preview-values.ts';
import styles from './inspector.module.css';

const SceneDialog = lazy(async () => ({
  default: (await import('../video-editor/scene-dialog.tsx')).SceneDialog,
}));

const previewMessages = messages.flow.preview;
/** Scale of the frame relative to the video. It is small, because the inspector is narrow. */
const SCALE = 0.4;

export function ScenePreview({ node }: { readonly node: GraphNode }) {
  const config = node.data.config ?? {};
  const hasTemplate = typeof config.templateId === 'string' && config.templateId !== '';
  return (
    <>
      {!hasTemplate && <EditScenesButton node={node} />}
      <PreviewFigure nodeId={node.id} source={getSource(config)} />
    </>
  );
}

function EditScenesButton({ node }: { readonly node: GraphNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon={Clapperboard} onClick={() => setOpen(true)}>
        {previewMessages.edit}
      </Button>
      {isOpen && (
        <Suspense>
          <SceneDialog nodeId={node.id} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

interface PreviewFigureProps {
  readonly nodeId: string;
  readonly source: { readonly sceneGraph?: Json } | undefined;
}

function PreviewFigure({ nodeId, source }: PreviewFigureProps) {
  const [seconds, setSeconds] = useState<number>();
  const { preview, error, isFetching } = usePreview({
    source,
    values: usePreviewValues(nodeId),
    time: seconds,
    scale: SCALE,
  });
  const graph = isJsonObject(source?.sceneGraph) ? source.sceneGraph : undefined;
  if (source === undefined) return null;
  const [frame] = preview?.frames ?? [];
  const { fps = 30, durationInFrames = 0, warnings = [] } = preview ?? {};
  return (
    <figure className={styles.still} aria-label={previewMessages.label} aria-busy={isFetching}>
      {error !== null && (
        <p className={styles.note} role="status">
          {describePreviewError(error, graph) ?? toErrorMessage(error)}
        </p>
      )}
      {frame && <img src={frame.url} alt={previewMessages.label} />}
      {isFetching && <Spinner />}
      {durationInFrames > 1 && (
        <input
          type="range"
          className={styles.slider}
          aria-label={previewMessages.time}
          min={0}
          max={(durationInFrames - 1) / fps}
          step={1 / fps}
          value={seconds ?? (frame?.frame ?? 0) / fps}
          onChange={({ target }) => setSeconds(Number(target.value))}
        />
      )}
      {warnings.map(warning => (
        <p key={warning} className={styles.note}>
          {describeWarning(warning, graph)}
        </p>
      ))}
    </figure>
  );
}

function getSource({ templateId, props }: JsonObject): PreviewFigureProps['source'] {
  if (typeof templateId === 'string' && templateId !== '')
    return { templateId, ...(isJsonObject(props) ? { props } : {}) } as PreviewFigureProps['source'];
  return isJsonObject(props) && props.sceneGraph !== undefined ? { sceneGraph: props.sceneGraph } : undefined;
}
