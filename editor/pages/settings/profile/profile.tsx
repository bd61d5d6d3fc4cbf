// Renders the user's profile.
import { useState } from 'react';
import { Badge } from '../../../kit/badge.tsx';
import { Button } from '../../../kit/button.tsx';
import { CopyButton } from '../../../kit/copy-button.tsx';
import { PageHead } from '../../../kit/page-head.tsx';
import { api } from '../../../lib/api.ts';
import { useDone } from '../../../lib/done.ts';
import { useSession } from '../../../lib/session.ts';
import { texts as shared } from '../messages.ts';
import { RenameDialog } from '../rename-dialog.tsx';
import { Badges, Day, Facts, Lead } from '../section.tsx';
import { texts } from './messages.ts';

export function Profile() {
  const { user, plan, workspace, expiresAt } = useSession();
  const [isRenaming, setRenaming] = useState(false);
  const done = useDone();
  return (
    <>
      <PageHead title={shared.parts.profile}>
        <Button onClick={() => setRenaming(true)}>{texts.rename}</Button>
      </PageHead>
      <Lead>{texts.lead}</Lead>
      <Facts
        facts={[
          [shared.name, user.name],
          [shared.email, user.email],
          [texts.plan, plan],
          [
            texts.rights,
            <Badges key="rights">
              {user.isAdmin && <Badge tone="accent">{texts.admin}</Badge>}
              {user.isAuthor && <Badge tone="accent">{texts.author}</Badge>}
              {!user.isAdmin && !user.isAuthor && <Badge>{texts.member}</Badge>}
            </Badges>,
          ],
          [texts.workspace, workspace.name],
          [texts.ends, <Day key="ends" time={expiresAt} />],
        ]}
      />
      <Facts
        facts={[
          [texts.id, <code key="id">{user.userId}</code>],
          [
            texts.personal,
            <Badges key="personal">
              <code>{user.personalTeamId}</code>
              <CopyButton text={user.personalTeamId} label={texts.copyId} />
            </Badges>,
          ],
        ]}
      />
      {isRenaming && (
        <RenameDialog
          title={texts.rename}
          name={user.name}
          run={async name => {
            await api.patch('/me', { name });
            await done(texts.renamed, ['session', '/admin/users', '/teams']);
          }}
          onClose={() => setRenaming(false)}
        />
      )}
    </>
  );
}
