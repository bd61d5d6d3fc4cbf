// Renders a port, where connections start and end by pointer or keyboard. Color and shape show its type.

import { memo } from 'react';
import { getSide } from '../../src/graph/handles.ts';
import { messages } from '../flow-messages.ts';
import type { CardPort } from './card-cache.ts';
import { truncatePortLabel } from './card-parts.ts';
import { toTypeColor, toTypeName } from './colors.ts';
import styles from './port.module.css';

interface PortProps {
  readonly nodeLabel: string;
  readonly port: CardPort;
  /** Whether the connection that the user is making can end here. */
  readonly fit: 'yes' | 'no' | undefined;
  /** Why it cannot end here, while the pointer is at the port. */
  readonly rejection: string | undefined;
}

export const Port = memo(function Port({
  nodeLabel,
  port: { handle, label, type, isUnknown },
  fit,
  rejection,
}: PortProps) {
  const isInput = getSide(handle) === 'in';
  return (
    <div className={isInput ? styles.input : styles.output} data-fit={fit} data-type={toTypeName(type)}>
      <button
        type="button"
        tabIndex={-1}
        className={styles.handle}
        style={{ color: isUnknown ? 'var(--danger)' : toTypeColor(type) }}
        aria-label={(isInput ? messages.flow.input : messages.flow.output)(label, nodeLabel)}
        data-port={handle}
        title={`${label} · ${type}`}
      />
      <span className={styles.label} aria-hidden>
        {truncatePortLabel(label)}
      </span>
      {rejection !== undefined && <span className={styles.rejection}>{rejection}</span>}
    </div>
  );
});
