// Renders the keyframes of an animated value: a strip with its curve, and a row for each keyframe.

import Plus from 'icon:plus';
import Trash from 'icon:trash-2';
import type { ComponentType } from 'react';
import { EASINGS } from '../../../../src/graph/easing.ts';
import type { Json } from '../../../../src/graph/types.ts';
import { messages } from '../../../flow-messages.ts';
import { Button, IconButton } from '../../../kit/button.tsx';
import { SelectField } from '../../../kit/field.tsx';
import { type Schema, toField } from './json-schema.ts';
import {
  addKeyframe,
  DEFAULT_EASING,
  drawStrip,
  type Keyframe,
  MAX_KEYFRAMES,
  toAnimation,
} from './keyframes.ts';
import styles from './scene.module.css';
import type { SceneFieldProps } from './scene-field.tsx';

const sceneMessages = messages.flow.scene;
const keyframeMessages = sceneMessages.keyframes;

interface KeyframesFieldProps extends SceneFieldProps {
  readonly keyframes: readonly Keyframe[];
  readonly valueSchema: Schema;
  /** Renders the time and the value of a keyframe. */
  readonly Field: ComponentType<SceneFieldProps>;
}

export function KeyframesField({ root, name, keyframes, valueSchema, Field, onChange }: KeyframesFieldProps) {
  const label = sceneMessages.label(name);
  const set = (list: readonly Keyframe[]): void => onChange(toAnimation(list));
  const setMember = (index: number, key: keyof Keyframe, value: Json | undefined): void => {
    const { [key]: _, ...rest } = keyframes[index] ?? { time: 0, value: 0 };
    set(keyframes.with(index, (value === undefined ? rest : { ...rest, [key]: value }) as Keyframe));
  };
  return (
    <fieldset className={styles.keyframes}>
      <legend>{keyframeMessages.title(label)}</legend>
      <KeyframeStrip keyframes={keyframes} label={keyframeMessages.curve(label)} />
      <ol>
        {keyframes.map((keyframe, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: keyframes have no id, and typing must keep the focus
          <li key={index} aria-label={keyframeMessages.name(index + 1)}>
            <Field
              root={root}
              name="time"
              field={{ kind: 'scalar', schema: {} }}
              value={keyframe.time}
              onChange={value => setMember(index, 'time', value ?? 0)}
            />
            <Field
              root={root}
              name="value"
              field={toField(root, valueSchema)}
              value={keyframe.value}
              onChange={value => setMember(index, 'value', value ?? 0)}
            />
            <IconButton
              size="s"
              icon={Trash}
              label={keyframeMessages.remove(index + 1)}
              disabled={keyframes.length === 1}
              onClick={() => set(keyframes.toSpliced(index, 1))}
            />
            {/* The first keyframe has no change before it. */}
            {index > 0 && (
              <EasingField easing={keyframe.easing} onChange={value => setMember(index, 'easing', value)} />
            )}
          </li>
        ))}
      </ol>
      <div className={styles.tools}>
        <Button
          size="s"
          icon={Plus}
          disabled={keyframes.length >= MAX_KEYFRAMES}
          onClick={() => set(addKeyframe(keyframes))}
        >
          {keyframeMessages.add}
        </Button>
        <Button size="s" onClick={() => onChange(keyframes[0]?.value)}>
          {keyframeMessages.stop}
        </Button>
      </div>
    </fieldset>
  );
}

interface EasingFieldProps {
  readonly easing: Json | undefined;
  readonly onChange: (easing: Json | undefined) => void;
}

/** Renders the choice of a curve. A curve with numbers of its own stays, until another one is chosen. */
function EasingField({ easing, onChange }: EasingFieldProps) {
  const isCustom = easing !== undefined && typeof easing !== 'string';
  return (
    <SelectField
      label={keyframeMessages.easing}
      value={isCustom ? CUSTOM : (easing ?? '')}
      onChange={({ target }) => {
        if (target.value !== CUSTOM) onChange(target.value === '' ? undefined : target.value);
      }}
      options={EASINGS.map(name => [name, sceneMessages.easing(name)] as const)}
    >
      <option value="">{keyframeMessages.standard(sceneMessages.easing(DEFAULT_EASING))}</option>
      {isCustom && <option value={CUSTOM}>{keyframeMessages.custom}</option>}
    </SelectField>
  );
}

const CUSTOM = 'custom';

const STRIP = { width: 240, height: 56, padding: 6 };

function KeyframeStrip({
  keyframes,
  label,
}: {
  readonly keyframes: readonly Keyframe[];
  readonly label: string;
}) {
  const { points, marks } = drawStrip(keyframes);
  const toX = (x: number): number => STRIP.padding + x * (STRIP.width - 2 * STRIP.padding);
  const toY = (y: number): number => STRIP.padding + y * (STRIP.height - 2 * STRIP.padding);
  return (
    <svg
      className={styles.curve}
      viewBox={`0 0 ${STRIP.width} ${STRIP.height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <polyline points={points.map(([x, y]) => `${toX(x).toFixed(1)},${toY(y).toFixed(1)}`).join(' ')} />
      {marks.map(({ x, y }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: marks are drawn anew each time
        <circle key={index} cx={toX(x)} cy={toY(y)} r={3.5} />
      ))}
    </svg>
  );
}
