// Renders the path to a component that is open in place: links to the workflows that call it.
import ArrowLeft from 'icon:arrow-left';
import { Link } from 'wouter';
import { messages } from '../../../component-messages.ts';
import { IconButton } from '../../../kit/button.tsx';
import { toFlowHref } from '../../../lib/trail.ts';
import { goToCaller, useInterface } from '../../../session/component-versions.ts';
import { useEditor } from '../../../session/editor-context.tsx';
import styles from './breadcrumb.module.css';

export function Breadcrumb() {
  const editor = useEditor();
  const { trail } = editor;
  const caller = useInterface(trail.at(-1)?.workflowId)?.name ?? messages.caller;
  if (trail.length === 0) return null;
  return (
    <nav className={styles.path} aria-label={messages.path}>
      <IconButton icon={ArrowLeft} label={messages.back(caller)} onClick={() => goToCaller(editor)} />
      <ol className={styles.steps}>
        {trail.map(({ workflowId }, depth) => (
          <li key={toFlowHref(workflowId, trail.slice(0, depth))}>
            <StepLink workflowId={workflowId} href={toFlowHref(workflowId, trail.slice(0, depth))} />
          </li>
        ))}
      </ol>
    </nav>
  );
}

function StepLink({ workflowId, href }: { readonly workflowId: string; readonly href: string }) {
  const name = useInterface(workflowId)?.name ?? messages.caller;
  return (
    <Link href={href} className={styles.step} title={name}>
      {name}
    </Link>
  );
}
