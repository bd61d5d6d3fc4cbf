// Renders templates on the empty board. A click inserts a template.
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Template } from '../../../../sdk/src/schemas.ts';
import type { Board } from '../../../board/board.ts';
import { toBoard, type WorkflowInfo } from '../../../board/remote.ts';
import { pasteGraph } from '../../../canvas/commands.ts';
import { messages } from '../../../flow-messages.ts';
import { showError } from '../../../kit/failure.tsx';
import { Thumbnail } from '../../../kit/media-view.tsx';
import { Spinner } from '../../../kit/spinner.tsx';
import { api } from '../../../lib/api.ts';
import { apiQuery } from '../../../lib/queries.ts';
import { useEditor } from '../../../session/editor-context.tsx';
import { byReadiness } from '../../templates/readiness.ts';
import { formatPrice } from '../toolbar/price.tsx';
import styles from './empty-board.module.css';

const MAX_STARTERS = 3;
/** At least the templates that come with the service. */
const MAX_READ = 48;

export function StarterTemplates() {
  const { data } = useQuery({
    ...apiQuery(['/templates'], { limit: MAX_READ }),
    staleTime: 60_000,
  });
  const templates = (data?.data ?? []).toSorted(byReadiness).slice(0, MAX_STARTERS);
  if (templates.length === 0) return null;
  return (
    <ul className={styles.starters} aria-label={messages.flow.emptyTemplates}>
      {templates.map(template => (
        <li key={template.id}>
          <StarterTemplate template={template} />
        </li>
      ))}
    </ul>
  );
}

/** Reads the nodes and edges of a template. */
export async function readTemplateBoard({ id, workflowId, slug }: Template): Promise<Board> {
  const path =
    workflowId === null
      ? `/templates/${id}`
      : slug === null
        ? `/workflows/${workflowId}`
        : `/published/${slug}`;
  return toBoard(await api.get<WorkflowInfo>(path));
}

function StarterTemplate({ template }: { readonly template: Template }) {
  const editor = useEditor();
  const { title, card, poster, preview, credits, creditsExact } = template;
  const insertion = useMutation({
    mutationFn: () => readTemplateBoard(template),
    onSuccess: board => {
      pasteGraph(editor, board, editor.canvas.current?.getCenter() ?? { x: 0, y: 0 });
      // Waits until the canvas shows the new nodes.
      requestAnimationFrame(() => requestAnimationFrame(() => editor.canvas.current?.zoomToFit()));
    },
    onError: showError,
  });
  const imageUrl = card ?? poster ?? (preview?.contentType.startsWith('image/') ? preview.url : undefined);
  return (
    <button
      type="button"
      className={styles.starter}
      disabled={insertion.isPending}
      onClick={() => insertion.mutate()}
    >
      <span className={styles.picture}>
        {imageUrl && <Thumbnail url={imageUrl} contentType="image/*" />}
        {insertion.isPending && <Spinner />}
      </span>
      <strong>{title}</strong>
      {credits !== null && <span>{formatPrice({ credits, exact: creditsExact })}</span>}
    </button>
  );
}
