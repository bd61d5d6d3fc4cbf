// Renders a workflow as a card, which can be dragged onto a folder.

import WorkflowIcon from 'icon:workflow';
import type { WorkflowListItem } from '../../../sdk/src/schemas.ts';
import { Badge, RunBadge } from '../../kit/badge.tsx';
import cards from '../../kit/cards.module.css';
import { Thumbnail } from '../../kit/media-view.tsx';
import { PosterFrame } from '../../kit/poster.tsx';
import { RelativeTime } from '../../kit/time.tsx';
import { WorkflowMenu } from './menus.tsx';
import { messages } from './messages.ts';
import styles from './page.module.css';
import { DRAG_TYPE, type WorkflowDialog } from './use-workflow-actions.ts';

interface WorkflowCardProps {
  readonly workflow: WorkflowListItem;
  readonly onOpen: (dialog: WorkflowDialog) => void;
  readonly onTag: (tag: string) => void;
}

export function WorkflowCard({ workflow, onOpen, onTag }: WorkflowCardProps) {
  const { id, name, poster, updatedAt, executionCount, sharedBy } = workflow;
  return (
    <li
      className={cards.card}
      // What others share is in their folders.
      draggable={sharedBy === undefined}
      onDragStart={event => event.dataTransfer.setData(DRAG_TYPE, JSON.stringify({ id, name }))}
    >
      <PosterFrame backdropUrl={poster ?? undefined}>
        {onSize =>
          poster ? (
            <Thumbnail url={poster} contentType="image/*" onSize={onSize} />
          ) : (
            <WorkflowIcon size={28} />
          )
        }
      </PosterFrame>
      <div className={cards.about}>
        <div className={styles.head}>
          <h2>
            <a href={`/flow/${id}`} draggable={false}>
              {name}
            </a>
          </h2>
          <div className={styles.menu}>
            <WorkflowMenu workflow={workflow} onOpen={onOpen} />
          </div>
        </div>
        <p className={cards.facts}>
          <span>
            {messages.edited} <RelativeTime time={updatedAt} />
          </span>
          <span>{messages.runs(executionCount)}</span>
        </p>
        <ShareFacts workflow={workflow} />
        <Badges workflow={workflow} onOpen={onOpen} onTag={onTag} />
      </div>
    </li>
  );
}

function ShareFacts({ workflow: { sharedBy, userRole } }: Pick<WorkflowCardProps, 'workflow'>) {
  if (sharedBy === undefined) return null;
  return (
    <p className={cards.facts}>
      <span>{messages.sharedBy(sharedBy.name)}</span>
      {userRole && <span>{messages.roles[userRole]}</span>}
    </p>
  );
}

export function Badges({ workflow, onOpen, onTag }: WorkflowCardProps) {
  const { isActive, isPublished, lastExecution, tags, callerCount = 0, isNew = false } = workflow;
  const hasBadge = isNew || !isActive || isPublished || lastExecution || tags.length > 0 || callerCount > 0;
  if (!hasBadge) return null;
  return (
    <p className={cards.badges}>
      {isNew && <Badge tone="accent">{messages.new}</Badge>}
      {lastExecution && <RunBadge status={lastExecution.status} />}
      {!isActive && <Badge tone="warning">{messages.inactive}</Badge>}
      {callerCount > 0 && (
        <button
          type="button"
          className={styles.tag}
          aria-label={messages.usageLabel(workflow.name, callerCount)}
          onClick={() => onOpen({ kind: 'uses', workflow })}
        >
          <Badge tone="accent">{messages.usedBy(callerCount)}</Badge>
        </button>
      )}
      {isPublished && <Badge tone="accent">{messages.published}</Badge>}
      {tags.slice(0, 3).map(tag => (
        <button
          key={tag}
          type="button"
          className={styles.tag}
          aria-label={messages.filterByTag(tag)}
          onClick={() => onTag(tag)}
        >
          <Badge>{tag}</Badge>
        </button>
      ))}
    </p>
  );
}
