// Renders the actions of a result: the same ones wherever it appears.
import Blend from 'icon:blend';
import Copy from 'icon:copy';
import Download from 'icon:download';
import FolderPlus from 'icon:folder-plus';
import GitCompare from 'icon:git-compare-arrows';
import History from 'icon:history';
import Import from 'icon:import';
import Lock from 'icon:lock';
import Scaling from 'icon:scaling';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { Button, ButtonAnchor, ButtonLink, IconButton } from '../../kit/button.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { showError } from '../../kit/failure.tsx';
import type { Icon } from '../../kit/icon.ts';
import { getMediaKind } from '../../kit/media-kind.ts';
import { Tooltip } from '../../kit/tooltip.tsx';
import { VisuallyHidden } from '../../kit/visually-hidden.tsx';
import { api } from '../../lib/api.ts';
import { lazyComponent } from '../../lib/lazy-component.ts';
import { apiQuery } from '../../lib/queries.ts';
import { type Result, toResultText } from '../runs/results.ts';
import type { AddToCollectionDialogProps } from './add-to-collection.tsx';
import { BOARD_ACTIONS, type BoardAction, toBoardHref } from './board-link.ts';
import { messages } from './messages.ts';
import styles from './result-actions.module.css';

const AddToCollectionDialog = lazyComponent<AddToCollectionDialogProps>(
  async () => (await import('./add-to-collection.tsx')).AddToCollectionDialog,
);

type ActionName = BoardAction | 'download' | 'copy' | 'collect' | 'run' | 'useInNew';

/** What a button does: go to a page of the application, save a file, copy a text, or call a function. */
type Effect =
  | { readonly href: string }
  | { readonly file: string }
  | { readonly copied: string }
  | { readonly run: () => void };

/** The actions in their order. */
const ICONS: Readonly<Record<ActionName, Icon>> = {
  download: Download,
  copy: Copy,
  use: Import,
  useInNew: Import,
  vary: Blend,
  keepSeed: Lock,
  upscale: Scaling,
  compare: GitCompare,
  collect: FolderPlus,
  run: History,
};

export interface ResultActionsProps {
  readonly result: Result;
  readonly label: string;
  /** The run that made the result, the run's workflow, and the node. */
  readonly executionId?: string | null | undefined;
  readonly workflowId?: string | null | undefined;
  readonly nodeId?: string | undefined;
  /** The address that downloads the file. Default: its own. */
  readonly downloadUrl?: string | undefined;
  /** Whether the user may change the workflow. Default: yes; the board refuses edits of others. */
  readonly canEdit?: boolean;
  /** What the open workflow does. Elsewhere, the actions open the workflow and continue there. */
  readonly onBoard?: Readonly<Partial<Record<BoardAction, () => void>>> | undefined;
  /** Whether only the icons are shown, where space is scarce. */
  readonly isCompact?: boolean;
  /** The action that has a label although the others have only icons. */
  readonly mainAction?: ActionName;
  /** The action that is of no use in the place where the result appears. */
  readonly omit?: ActionName;
}

export function ResultActions(props: ResultActionsProps) {
  const [isCollecting, setCollecting] = useState(false);
  const links = useBoardLinks(props);
  const newWorkflow = useNewWorkflow(props);
  const { result, executionId, onBoard, canEdit = true, isCompact = false, mainAction, omit } = props;
  const mediaId = result.kind === 'media' ? findMediaId(result.url) : undefined;
  const text = toResultText(result);
  const boardEffects = BOARD_ACTIONS.flatMap(action => {
    const run = onBoard?.[action];
    return run === undefined ? [] : [[action, { run }] as const];
  });
  const effects: Readonly<Partial<Record<ActionName, Effect>>> = {
    download: result.kind === 'media' ? { file: props.downloadUrl ?? text } : { run: () => saveText(text) },
    copy: { copied: text },
    ...(onBoard === undefined ? (links ?? newWorkflow) : Object.fromEntries(boardEffects)),
    ...(mediaId !== undefined && canEdit && { collect: { run: () => setCollecting(true) } }),
    ...(executionId != null && { run: { href: `/executions/${executionId}` } }),
  };
  return (
    <>
      <fieldset
        className={styles.actions}
        aria-label={messages.list}
        data-is-compact={isCompact || undefined}
      >
        {Object.keys(ICONS).map(key => {
          const name = key as ActionName;
          const effect = effects[name];
          const isLink = name === 'copy' && result.kind === 'media';
          const actionLabel = messages.actions[isLink ? 'copyAddress' : name];
          if (effect === undefined || name === omit) return null;
          const action = { icon: ICONS[name], label: actionLabel, effect };
          return isCompact && name !== mainAction ? (
            <CompactAction key={name} {...action} />
          ) : (
            <Action key={name} {...action} />
          );
        })}
      </fieldset>
      {isCollecting && mediaId !== undefined && (
        <AddToCollectionDialog mediaIds={[mediaId]} onClose={() => setCollecting(false)} />
      )}
    </>
  );
}

interface ActionProps {
  readonly icon: Icon;
  readonly label: string;
  readonly effect: Effect;
}

function Action({ icon, label, effect }: ActionProps) {
  if ('copied' in effect) return <CopyButton text={effect.copied} label={label} size="s" isLabeled />;
  if ('href' in effect)
    return (
      <ButtonLink size="s" icon={icon} href={effect.href}>
        {label}
      </ButtonLink>
    );
  if ('file' in effect)
    return (
      <ButtonAnchor size="s" icon={icon} href={effect.file} download="">
        {label}
      </ButtonAnchor>
    );
  return (
    <Button size="s" icon={icon} onClick={effect.run}>
      {label}
    </Button>
  );
}

function CompactAction({ icon, label, effect }: ActionProps) {
  if ('copied' in effect) return <CopyButton text={effect.copied} label={label} />;
  if ('run' in effect) return <IconButton size="s" icon={icon} label={label} onClick={effect.run} />;
  const children = <VisuallyHidden>{label}</VisuallyHidden>;
  const link = { size: 's', variant: 'quiet', icon, children } as const;
  return (
    <Tooltip text={label}>
      {'href' in effect ? (
        <ButtonLink {...link} href={effect.href} />
      ) : (
        <ButtonAnchor {...link} href={effect.file} download="" />
      )}
    </Tooltip>
  );
}

/** Returns the actions that continue in the result's workflow. */
function useBoardLinks({
  result,
  executionId,
  workflowId,
  nodeId,
  canEdit = true,
  onBoard,
}: ResultActionsProps): Readonly<Partial<Record<BoardAction, Effect>>> | undefined {
  const kind = result.kind === 'media' ? getMediaKind(result) : undefined;
  const hasBoard = onBoard === undefined && executionId != null && workflowId != null;
  const { data } = useQuery({
    // Models that run on this machine are not in the list of models.
    ...apiQuery(['/nodes']),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: hasBoard && canEdit && (kind === 'image' || kind === 'video'),
  });
  if (!hasBoard) return undefined;
  const canUpscale = data?.nodes.some(
    ({ task, outputs, isAvailable }) =>
      task === 'upscale' && outputs[0]?.type.toLowerCase() === kind && isAvailable !== false,
  );
  const hasSeed = result.kind === 'media' && result.seed != null;
  const url = result.kind === 'media' ? result.url : undefined;
  const toEffect = (action: BoardAction): Effect => ({
    href: toBoardHref(workflowId, { action, result: { executionId, nodeId, url } }),
  });
  return {
    ...(canEdit && { use: toEffect('use') }),
    ...(canEdit && hasSeed && { vary: toEffect('vary'), keepSeed: toEffect('keepSeed') }),
    ...(canEdit && canUpscale && { upscale: toEffect('upscale') }),
    ...(result.kind === 'media' && { compare: toEffect('compare') }),
  };
}

/** Returns the action that creates a workflow with the file, for files that no workflow made. */
function useNewWorkflow({
  result,
  label,
  canEdit = true,
}: ResultActionsProps): Readonly<Partial<Record<ActionName, Effect>>> {
  const [, navigate] = useLocation();
  const kind = result.kind === 'media' ? getMediaKind(result) : undefined;
  if (result.kind !== 'media' || kind === undefined || !canEdit) return {};
  const create = async (): Promise<void> => {
    const name = label.replace(/\.\w+$/, '').slice(0, 80);
    const data = { label: name, category: 'input', nodeType: `input:${kind}`, config: { url: result.url } };
    const { id } = await api.post('/workflows', {
      name: messages.actions.newWorkflow(name),
      nodes: [{ id: 'file', type: 'basedNode', position: { x: 0, y: 0 }, data }],
      edges: [],
    });
    navigate(`/flow/${id}`);
  };
  return { useInNew: { run: () => void create().catch(showError) } };
}

/** Returns the ID of a media file of this service. Its address is `/cdn/<id>/<name>`. */
const findMediaId = (url: string): string | undefined => /\/(med_[0-9a-z]+)\//.exec(url)?.[1];

function saveText(text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'result.txt';
  link.click();
  URL.revokeObjectURL(url);
}
