// Shows how the ports of a component differ between the version of a call and the current one, and updates the call.
import { findNode } from '../../../board/board.ts';
import { type PortChange, updateCall } from '../../../board/component-update.ts';
import { messages } from '../../../component-messages.ts';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Loading } from '../../../kit/spinner.tsx';
import { type Column, Table } from '../../../kit/table.tsx';
import {
  applyVersion,
  getCalledComponent,
  openComponent,
  useInterface,
} from '../../../session/component-versions.ts';
import { useBoard, useEditor } from '../../../session/editor-context.tsx';

const updateMessages = messages.update;

interface UpdateDialogProps {
  readonly nodeId: string;
  readonly onClose: () => void;
}

export function UpdateDialog({ nodeId, onClose }: UpdateDialogProps) {
  const editor = useEditor();
  const board = useBoard(state => state.board);
  const node = findNode(board, nodeId);
  const component = node && getCalledComponent(node);
  const current = useInterface(component?.workflowId);
  if (component === undefined) return null;
  const isCurrent =
    current !== undefined && (component.version === 'latest' || component.version >= current.version);
  const update = current && updateCall(board, editor.session.catalog, nodeId, current);
  const applyCurrent = (): void => {
    if (current === undefined) return;
    onClose();
    applyVersion(editor, nodeId, current);
  };
  return (
    <Dialog
      title={updateMessages.title(component.name)}
      onClose={onClose}
      actions={
        <>
          <Button onClick={() => void openComponent(editor, nodeId)}>{updateMessages.open}</Button>
          {current && !isCurrent && (
            <Button variant="primary" onClick={applyCurrent}>
              {updateMessages.apply(current.version)}
            </Button>
          )}
        </>
      }
    >
      {update === undefined || current === undefined ? (
        <Loading />
      ) : (
        <>
          <p>
            {isCurrent
              ? updateMessages.current
              : updateMessages.versions(Number(component.version), current.version)}
          </p>
          {update.ports.length === 0 ? <p>{updateMessages.samePorts}</p> : <PortTable ports={update.ports} />}
          {update.lostEdges > 0 && <p role="alert">{updateMessages.lost(update.lostEdges)}</p>}
        </>
      )}
    </Dialog>
  );
}

function PortTable({ ports }: { readonly ports: readonly PortChange[] }) {
  const columns: readonly Column<PortChange>[] = [
    {
      title: updateMessages.columns.port,
      cell: ({ side, before, after }) => `${updateMessages.sides[side]} ${(before ?? after)?.label}`,
    },
    { title: updateMessages.columns.change, cell: describeChange },
  ];
  return (
    <Table
      label={updateMessages.ports}
      columns={columns}
      rows={ports}
      getKey={({ side, before, after }) => `${side} ${(before ?? after)?.id}`}
    />
  );
}

function describeChange({ before, after }: PortChange): string {
  if (before === undefined) return updateMessages.added;
  if (after === undefined) return updateMessages.removed;
  const parts = [
    before.label !== after.label && updateMessages.renamed(before.label, after.label),
    before.type !== after.type && updateMessages.retyped(before.type, after.type),
  ];
  return parts.filter(Boolean).join('. ');
}
