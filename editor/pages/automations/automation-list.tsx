// Renders schedules and triggers as cards: when they run, their next and last run, and their actions.
import CalendarClock from 'icon:calendar-clock';
import Ellipsis from 'icon:ellipsis';
import FolderInput from 'icon:folder-input';
import ListVideo from 'icon:list-video';
import Pause from 'icon:pause';
import Play from 'icon:play';
import Rss from 'icon:rss';
import Webhook from 'icon:webhook';
import Workflow from 'icon:workflow';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { ExecutionStatus } from '../../../sdk/src/types.ts';
import { Badge, RunBadge } from '../../kit/badge.tsx';
import { Button, IconButton } from '../../kit/button.tsx';
import { Failure } from '../../kit/failure.tsx';
import type { Icon } from '../../kit/icon.ts';
import { lazyMenu } from '../../kit/lazy-menu.tsx';
import { Loading } from '../../kit/spinner.tsx';
import { RelativeTime } from '../../kit/time.tsx';
import { formatExact } from '../../lib/format.ts';
import { lazyComponent } from '../../lib/lazy-component.ts';
import { useWorkflowNames } from '../../lib/runs.ts';
import { messages as sharedMessages } from '../../messages.ts';
import styles from './automation-list.module.css';
import { describeTiming } from './describe.ts';
import { messages } from './messages.ts';
import {
  type Automation,
  getKind,
  useAutomationAction,
  useAutomations,
  useRunStatuses,
} from './use-automations.ts';

const CardMenu = lazyMenu<{ readonly automation: Automation }>(
  async () => (await import('./automation-menu.tsx')).AutomationMenu,
  ({ automation: { name } }, button) => (
    <IconButton size="s" icon={Ellipsis} label={messages.more(name)} {...button} />
  ),
);
const HistoryDialog = lazyComponent<{ readonly automation: Automation; readonly onClose: () => void }>(
  async () => (await import('./history.tsx')).HistoryDialog,
);

interface AutomationListProps {
  /** If it is undefined, the list has the automations of all workflows that the user may edit. */
  readonly workflowId?: string;
  /** Returns whether the list has the automation, given the name of its workflow. Default: it has all. */
  readonly matches?: (automation: Automation) => boolean;
  /** Content of an empty list. */
  readonly empty: ReactNode;
}

export function AutomationList({ workflowId, matches = () => true, empty }: AutomationListProps) {
  const { items: all, isLoading, error, hasMore, loadMore, refetch } = useAutomations(workflowId);
  const statuses = useRunStatuses(workflowId);
  const names = useWorkflowNames();
  const items = all.filter(matches);
  const failure = error !== null && <Failure error={error} onRetry={refetch} />;
  if (isLoading) return failure || <Loading />;
  if (items.length === 0 && !hasMore) return failure || empty;
  return (
    <>
      {/* Above the cards, because replacing a card would close its form. */}
      {failure}
      <ul className={styles.list} aria-label={messages.title}>
        {items.map(automation => (
          <Card
            key={automation.id}
            automation={automation}
            names={names}
            status={statuses.get(automation.lastExecutionId ?? '')}
            isOnBoard={workflowId !== undefined}
          />
        ))}
      </ul>
      {hasMore && (
        <Button variant="quiet" onClick={loadMore}>
          {sharedMessages.common.loadMore}
        </Button>
      )}
    </>
  );
}

const ICONS: Readonly<Record<string, Icon>> = {
  schedule: CalendarClock,
  hook: Webhook,
  after: Workflow,
  feed: Rss,
  bucket: FolderInput,
};

interface CardProps {
  readonly automation: Automation;
  /** Names of workflows by id, for the workflows whose runs triggers follow. */
  readonly names: ReadonlyMap<string, string>;
  readonly status: ExecutionStatus | undefined;
  readonly isOnBoard: boolean;
}

function Card({ automation, names, status, isOnBoard }: CardProps) {
  const { name, workflowId, workflowName, isActive, pausedReason, lastRunAt, lastExecutionId } = automation;
  const KindIcon = ICONS[getKind(automation)] ?? CalendarClock;
  const action = useAutomationAction(automation);
  return (
    <li className={styles.card} aria-label={name}>
      <div className={styles.head}>
        <KindIcon className={styles.icon} />
        <h2 className={styles.name}>{name}</h2>
        <Badge tone={isActive ? 'success' : pausedReason === null ? 'neutral' : 'warning'}>
          {isActive ? messages.states.active : messages.states.paused}
        </Badge>
        <CardMenu automation={automation} />
      </div>
      <p className={styles.when}>{describeWhen(automation, names)}</p>
      {!isActive && pausedReason !== null && (
        <p className={styles.reason}>{messages.pausedReasons[pausedReason] ?? pausedReason}</p>
      )}
      <dl className={styles.facts}>
        {!isOnBoard && (
          <div>
            <dt>{messages.trigger.workflow}</dt>
            <dd>
              <a href={`/flow/${workflowId}`}>{workflowName}</a>
            </dd>
          </div>
        )}
        {automation.type === 'schedule' && (
          <div>
            <dt>{messages.next}</dt>
            <dd>{formatNextRun(isActive ? automation.nextRunAt : null)}</dd>
          </div>
        )}
        <div>
          <dt>{messages.last}</dt>
          <dd className={styles.last}>
            {lastRunAt === null ? messages.never : <RelativeTime time={lastRunAt} />}
            {status !== undefined && <RunBadge status={status} />}
            {lastExecutionId !== null && (
              <Link href={`/executions/${lastExecutionId}`}>{messages.openRun}</Link>
            )}
          </dd>
        </div>
      </dl>
      <div className={styles.buttons}>
        <Button
          size="s"
          icon={Play}
          isBusy={action.isPending && action.variables === 'run'}
          onClick={() => action.mutate('run')}
        >
          {messages.runNow}
        </Button>
        <Button
          size="s"
          icon={isActive ? Pause : Play}
          isBusy={action.isPending && action.variables !== 'run'}
          onClick={() => action.mutate(isActive ? 'pause' : 'resume')}
        >
          {isActive ? messages.pause : messages.activate}
        </Button>
        <HistoryButton automation={automation} />
      </div>
    </li>
  );
}

const formatNextRun = (time: string | null): string => (time === null ? '–' : formatExact(Date.parse(time)));

function HistoryButton({ automation }: { readonly automation: Automation }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button size="s" variant="quiet" icon={ListVideo} onClick={() => setIsOpen(true)}>
        {messages.history}
      </Button>
      {isOpen && <HistoryDialog automation={automation} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function describeWhen(automation: Automation, names: ReadonlyMap<string, string>): string {
  if (automation.type === 'schedule') return messages.form.runs(describeTiming(automation));
  const { kind, config } = automation;
  const text = (key: string): string => String(config[key] ?? '');
  const statuses = Array.isArray(config.statuses) ? (config.statuses as readonly string[]) : ['COMPLETED'];
  const describe: Readonly<Record<typeof kind, () => string>> = {
    hook: () => messages.describe.hook,
    after: () =>
      messages.describe.after(
        names.get(text('workflowId')) ?? text('workflowId'),
        ANY_OF.format(statuses.map(describeStatus)),
      ),
    feed: () => messages.describe.feed(text('url'), Number(config.everyMinutes ?? 15)),
    bucket: () => messages.describe.bucket(text('prefix') || messages.trigger.ownFolder),
  };
  return messages.form.runs(describe[kind]());
}

const ANY_OF = new Intl.ListFormat('en', { type: 'disjunction' });

const describeStatus = (status: string): string =>
  (messages.trigger.statusNames as Readonly<Record<string, string>>)[status]?.toLowerCase() ?? status;
