// Renders a port, where connections start and end by pointer or keyboard. Color and shape show its type.
import { memo } from 'react';
import { messages } from '../flow-messages.ts';
import { portText } from './card-parts.ts';
import { typeColor, typeName } from './colors.ts';
import type { ShownPort } from './model.ts';
import styles from './port.module.css';

interface PortProps {
  readonly nodeLabel: string;
  readonly port: ShownPort;
  /** While connecting: whether the connection can end here. */
  readonly fit: 'yes' | 'no' | undefined;
}

export const Port = memo(function Port({
  nodeLabel,
  port: { handle, label, type, isUnknown },
  fit,
}: PortProps) {
  const isInput = handle.startsWith('in-');
  return (
    <div className={isInput ? styles.input : styles.output} data-fit={fit} data-type={typeName(type)}>
      <button
        type="button"
        tabIndex={-1}
        className={styles.handle}
        style={{ color: isUnknown ? 'var(--danger)' : typeColor(type) }}
        aria-label={(isInput ? messages.flow.input : messages.flow.output)(label, nodeLabel)}
        data-port={handle}
        title={`${label} · ${type}`}
      />
      <span className={styles.label} aria-hidden>
        {portText(label)}
      </span>
    </div>
  );
});
