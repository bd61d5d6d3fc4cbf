// Renders the user's workspaces and teams.

import Plus from 'icon:plus';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { Button } from '../../../kit/button.tsx';
import { InfiniteList, useList } from '../../../kit/infinite-list.tsx';
import { NameDialog } from '../../../kit/name-dialog.tsx';
import { PageHead } from '../../../kit/page-head.tsx';
import { api } from '../../../lib/api.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { messages as settingsMessages } from '../messages.ts';
import { Introduction, Section } from '../section.tsx';
import { messages } from './messages.ts';
import { OwnInvitations } from './own-invitations.tsx';
import { TeamDetails } from './team-details.tsx';
import { WorkspaceTable } from './workspace-table.tsx';

export function Teams() {
  const list = useList('/teams', { limit: 100 });
  const [search, setSearch] = useSearchParams();
  const [isCreating, setCreating] = useState(false);
  const teamId = search.get('team');
  const openTeam = (id: string | undefined): void => setSearch(id === undefined ? {} : { team: id });
  return (
    <>
      <PageHead title={settingsMessages.parts.teams}>
        <Button variant="primary" icon={Plus} onClick={() => setCreating(true)}>
          {messages.create}
        </Button>
      </PageHead>
      <Introduction>{messages.description}</Introduction>
      <OwnInvitations linkedId={search.get('invitation')} onAccepted={openTeam} />
      <Section title={settingsMessages.groups.workspace}>
        <InfiniteList query={list} empty={<WorkspaceTable teams={[]} />}>
          {teams => <WorkspaceTable teams={teams} />}
        </InfiniteList>
      </Section>
      {teamId !== null && <TeamDetails key={teamId} id={teamId} onGone={() => openTeam(undefined)} />}
      {isCreating && <CreateDialog onCreated={openTeam} onClose={() => setCreating(false)} />}
    </>
  );
}

interface CreateDialogProps {
  readonly onCreated: (id: string) => void;
  readonly onClose: () => void;
}

function CreateDialog({ onCreated, onClose }: CreateDialogProps) {
  const reloadAndToast = useReloadAndToast();
  const create = async (name: string): Promise<void> => {
    const team = await api.post('/teams', { name });
    onCreated(team.id);
    await reloadAndToast(messages.created(team.name), ['/teams', 'session']);
  };
  return (
    <NameDialog
      title={messages.createTitle}
      submitText={messages.submit}
      onSubmit={create}
      onClose={onClose}
    />
  );
}
