// Renders the largest groups of failed runs as buttons. A button filters the list by its group.
import type { Failures } from '../../../sdk/src/schemas.ts';
import { Badge } from '../../kit/badge.tsx';
import type { RunFilters } from './filters.ts';
import { messages } from './messages.ts';
import styles from './page.module.css';

const MAX_GROUPS = 6;

interface FailureGroupsProps {
  readonly failures: Failures;
  readonly filters: RunFilters;
}

export function FailureGroups({ failures: { groups }, filters }: FailureGroupsProps) {
  const { values, set } = filters;
  if (groups.length === 0 || values.errorCode !== undefined) return null;
  return (
    <section className={styles.groups} aria-label={messages.failures}>
      <h2>{messages.failures}</h2>
      <ul>
        {groups.slice(0, MAX_GROUPS).map(({ code, nodeType, label, runs, message }) => (
          <li key={`${code} ${nodeType}`}>
            <button
              type="button"
              title={message}
              onClick={() => set({ errorCode: code, failedNodeType: nodeType ?? '' })}
            >
              <code>{code}</code>
              <span>{label ?? nodeType}</span>
              <Badge tone="danger">{messages.failureCount(runs)}</Badge>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
