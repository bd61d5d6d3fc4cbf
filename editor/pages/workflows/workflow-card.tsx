// A workflow in the grid.
import Workflow from 'icon:workflow';
import { Badge } from '../../kit/badge.tsx';
import styles from '../../kit/cards.module.css';
import { Ago } from '../../kit/time.tsx';
import { formatNumber } from '../../lib/format.ts';
import { messages } from '../../messages.ts';

const texts = messages.workflows;

export interface ListedWorkflow {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly isActive: boolean;
  readonly isPublished: boolean;
  readonly tags: readonly string[];
  readonly poster?: string | null;
  readonly updatedAt: string;
  readonly executionCount: number;
}

export function WorkflowCard({ workflow }: { readonly workflow: ListedWorkflow }) {
  const { id, name, poster, isActive, isPublished, updatedAt, executionCount: runs } = workflow;
  return (
    <li className={styles.card}>
      <div className={styles.poster}>
        {poster ? <img src={poster} alt="" loading="lazy" /> : <Workflow size={28} />}
      </div>
      <div className={styles.about}>
        <h2>
          <a href={`/flow/${id}`}>{name}</a>
        </h2>
        <p className={styles.facts}>
          <Ago time={updatedAt} />
          <span>{runs === 0 ? texts.neverRun : texts.runs(runs, formatNumber(runs))}</span>
        </p>
        {(!isActive || isPublished) && (
          <p className={styles.badges}>
            {!isActive && <Badge tone="warning">{texts.off}</Badge>}
            {isPublished && <Badge tone="success">{texts.published}</Badge>}
          </p>
        )}
      </div>
    </li>
  );
}
