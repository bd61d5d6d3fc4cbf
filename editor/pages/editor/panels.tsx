// Renders the open panel. Only one panel is open at a time.
import { lazy, Suspense, useMemo, useRef } from 'react';
import { type Panel, useEditor, useView } from '../../session/editor-context.tsx';
import { AddNode } from './add-node/add-node.tsx';
import { CommandMenu, FindNode } from './commands/choosers.tsx';

const ResultDialog = lazy(async () => ({
  default: (await import('../../session/runs/result-dialog.tsx')).ResultDialog,
}));
const ApprovalDialog = lazy(async () => ({
  default: (await import('../../session/runs/approval.tsx')).ApprovalDialog,
}));
const ShareDialog = lazy(async () => ({ default: (await import('./dialogs/share.tsx')).ShareDialog }));
const ExportDialog = lazy(async () => ({ default: (await import('./dialogs/export.tsx')).ExportDialog }));

const SecretsDialog = lazy(async () => ({ default: (await import('./dialogs/secrets.tsx')).SecretsDialog }));

const BatchDialog = lazy(async () => ({ default: (await import('./batch/dialog.tsx')).BatchDialog }));

const MakeComponentDialog = lazy(async () => ({
  default: (await import('./component/make-dialog.tsx')).MakeComponentDialog,
}));
const CallersDialog = lazy(async () => ({
  default: (await import('./component/callers.tsx')).CallersDialog,
}));
const UpdateDialog = lazy(async () => ({
  default: (await import('./component/update-dialog.tsx')).UpdateDialog,
}));
const KeyList = lazy(async () => ({ default: (await import('./commands/key-list.tsx')).KeyList }));
const ReplaceModel = lazy(async () => ({
  default: (await import('./model-picker/model-picker.tsx')).ReplaceModel,
}));
const Variations = lazy(async () => ({
  default: (await import('./variations/variations.tsx')).Variations,
}));
const ChooseModel = lazy(async () => ({
  default: (await import('./model-picker/model-picker.tsx')).ChooseModel,
}));

const SIMPLE_PANELS = {
  commands: CommandMenu,
  keys: KeyList,
  find: FindNode,
  share: ShareDialog,
  export: ExportDialog,
  secrets: SecretsDialog,
  'make-component': MakeComponentDialog,
};

export function Panels() {
  const { session, view, canvas } = useEditor();
  const panel = useView(state => state.panel);
  const opener = useRef<Element>(null);
  const isOpen = panel !== undefined;
  // Runs before the dialog takes the focus.
  useMemo(() => {
    if (isOpen) opener.current = document.activeElement;
  }, [isOpen]);
  if (panel === undefined) return null;
  const close = (): void => {
    view.setState({ panel: undefined });
    // Returns the focus to where the dialog was opened, after the dialog has closed.
    requestAnimationFrame(() => {
      if (document.activeElement !== document.body) return;
      if (opener.current instanceof HTMLElement && opener.current.isConnected) opener.current.focus();
      else canvas.current?.focus();
    });
  };
  return <Suspense>{renderPanel(panel, session.id, close)}</Suspense>;
}

function renderPanel(panel: Panel, workflowId: string, onClose: () => void) {
  switch (panel.kind) {
    case 'add':
      return <AddNode placement={panel.placement} text={panel.text} onClose={onClose} />;
    case 'variations':
      return <Variations nodeId={panel.nodeId} onClose={onClose} />;
    case 'batch':
      return <BatchDialog isComparison={panel.isComparison} nodeId={panel.nodeId} onClose={onClose} />;
    case 'choose-model':
      return <ChooseModel placement={panel.placement} text={panel.text} onClose={onClose} />;
    case 'result':
      return <ResultDialog nodeId={panel.nodeId} index={panel.index} onClose={onClose} />;
    case 'approval':
      return <ApprovalDialog id={panel.id} onClose={onClose} />;
    case 'component':
      return <UpdateDialog nodeId={panel.nodeId} onClose={onClose} />;
    case 'replace-model':
      return <ReplaceModel nodeId={panel.nodeId} onClose={onClose} />;
    case 'callers':
      return <CallersDialog workflowId={workflowId} onClose={onClose} />;
    default: {
      const SimplePanel = SIMPLE_PANELS[panel.kind];
      return <SimplePanel onClose={onClose} />;
    }
  }
}
