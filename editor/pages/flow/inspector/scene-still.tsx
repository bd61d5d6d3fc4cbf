// Renders a frame of a renderer node's video at a time chosen with a slider. Updates after its settings change.
import Clapperboard from 'icon:clapperboard';
import { lazy, Suspense, useState } from 'react';
import type { GraphNode, JsonObject } from '../../../../src/graph/types.ts';
import { messages } from '../../../flow-messages.ts';
import { Button } from '../../../kit/button.tsx';
import { toErrorMessage } from '../../../kit/failure.tsx';
import { Spinner } from '../../../kit/spinner.tsx';
import { isObject } from '../scene/json-schema.ts';
import { useStill } from '../scene/use-still.ts';
import styles from './inspector.module.css';

const SceneDialog = lazy(async () => ({ default: (await import('../scene/scene-dialog.tsx')).SceneDialog }));

const stillMessages = messages.flow.still;
/** Small, because the inspector is narrow. */
const SCALE = 0.4;

export function SceneStill({ node }: { readonly node: GraphNode }) {
  const config = node.data.config ?? {};
  const hasTemplate = typeof config.templateId === 'string' && config.templateId !== '';
  return (
    <>
      {!hasTemplate && <EditScenes node={node} />}
      <StillFigure source={sourceOf(config)} />
    </>
  );
}

function EditScenes({ node }: { readonly node: GraphNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon={Clapperboard} onClick={() => setOpen(true)}>
        {stillMessages.edit}
      </Button>
      {isOpen && (
        <Suspense>
          <SceneDialog nodeId={node.id} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

function StillFigure({ source }: { readonly source: object | undefined }) {
  const [seconds, setSeconds] = useState<number>();
  const { still, error, isFetching } = useStill({ source, time: seconds, scale: SCALE });
  if (source === undefined) return null;
  const [frame] = still?.frames ?? [];
  const { fps = 30, durationInFrames = 0, warnings = [] } = still ?? {};
  return (
    <figure className={styles.still} aria-label={stillMessages.label} aria-busy={isFetching}>
      {error !== null && <p className={styles.note}>{toErrorMessage(error)}</p>}
      {error === null && frame && <img src={frame.url} alt={stillMessages.label} />}
      {isFetching && <Spinner />}
      {durationInFrames > 1 && (
        <input
          type="range"
          className={styles.slider}
          aria-label={stillMessages.time}
          min={0}
          max={(durationInFrames - 1) / fps}
          step={1 / fps}
          value={seconds ?? (frame?.frame ?? 0) / fps}
          onChange={({ target }) => setSeconds(Number(target.value))}
        />
      )}
      {warnings.map(warning => (
        <p key={warning} className={styles.note}>
          {warning}
        </p>
      ))}
    </figure>
  );
}

function sourceOf({ templateId, props }: JsonObject): object | undefined {
  if (typeof templateId === 'string' && templateId !== '')
    return { templateId, ...(isObject(props) ? { props } : {}) };
  return isObject(props) && props.sceneGraph !== undefined ? { sceneGraph: props.sceneGraph } : undefined;
}
