// Renders a number field, with a slider if it is bounded.
import Dices from 'icon:dices';
import Lock from 'icon:lock';
import LockOpen from 'icon:lock-open';
import { useState } from 'react';
import { drawSeed, isSeed } from '../../../board/seeds.ts';
import { messages } from '../../../flow-messages.ts';
import { IconButton } from '../../../kit/button.tsx';
import { TextField } from '../../../kit/field.tsx';
import { useDisplayedNode } from '../../../session/editor-context.tsx';
import type { ControlProps } from './controls.tsx';
import styles from './inspector.module.css';

/** Inputs with more steps have no slider, because a slider has fewer pixels than that. */
const MAX_STEPS = 4000;

export function NumberControl({ node, input, value, hint, error, onChange }: ControlProps) {
  const { min, max, label } = input;
  const step = input.step ?? (input.integer ? 1 : undefined);
  // Shows text such as `1.` as typed while it stands for the current value.
  const [draft, setDraft] = useState<string>();
  const number = typeof value === 'number' ? value : undefined;
  const text =
    draft !== undefined && Number(draft) === (number ?? Number.NaN)
      ? draft
      : draft === ''
        ? ''
        : String(number ?? '');
  const change = (text: string): void => {
    setDraft(text);
    if (text.trim() === '') onChange(undefined);
    else if (Number.isFinite(Number(text))) onChange(Number(text));
  };
  return (
    <div className={styles.number}>
      <TextField
        label={label}
        type="number"
        hint={hint}
        error={error}
        min={min}
        max={max}
        step={step ?? 'any'}
        placeholder={toPlaceholder(input)}
        value={text}
        onChange={({ target }) => change(target.value)}
        beside={
          isSeed(input) ? (
            <SeedButtons nodeId={node.id} input={input} value={number} onChange={onChange} />
          ) : undefined
        }
      />
      <Slider input={input} value={number} step={step} onChange={change} />
    </div>
  );
}

function toPlaceholder(input: ControlProps['input']): string {
  const { default: fallback } = input;
  if (fallback !== undefined && fallback !== null) return String(fallback);
  return isSeed(input) ? messages.flow.seed.random : '';
}

interface SeedButtonsProps extends Pick<ControlProps, 'input' | 'onChange'> {
  readonly nodeId: string;
  readonly value: number | undefined;
}

/** Renders the buttons that draw a seed, and that keep the seed of the last result or draw one for each run. */
function SeedButtons({ nodeId, input, value, onChange }: SeedButtonsProps) {
  const lastSeed = useDisplayedNode(nodeId)?.seed;
  const isLocked = value !== undefined;
  const { dice, lock, unlock } = messages.flow.seed;
  return (
    <span className={styles.seed}>
      <IconButton icon={Dices} label={dice} onClick={() => onChange(drawSeed(input))} />
      <IconButton
        icon={isLocked ? Lock : LockOpen}
        label={isLocked ? unlock : lock}
        aria-pressed={isLocked}
        onClick={() => onChange(isLocked ? undefined : (lastSeed ?? drawSeed(input)))}
      />
    </span>
  );
}

interface SliderProps extends Pick<ControlProps, 'input'> {
  readonly value: number | undefined;
  readonly step: number | undefined;
  readonly onChange: (text: string) => void;
}

function Slider({ input: { min, max, label, default: fallback }, value, step, onChange }: SliderProps) {
  if (min === undefined || max === undefined) return null;
  const stepSize = step ?? (max - min) / 100;
  if ((max - min) / stepSize > MAX_STEPS) return null;
  return (
    <input
      type="range"
      className={styles.slider}
      aria-label={messages.flow.slider(label)}
      min={min}
      max={max}
      step={stepSize}
      value={value ?? (typeof fallback === 'number' ? fallback : min)}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
