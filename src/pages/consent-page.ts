// Renders the OAuth consent page, on which a user decides which permissions an app gets.
import { renderDocument } from './document.ts';
import { type Html, html } from './html.ts';

export interface ConsentRequest {
  readonly uid: string;
  /** The name that the app registered, sanitized for display. */
  readonly clientName: string;
  readonly redirectHost: string;
  readonly redirectKind: 'https' | 'loopback' | 'app';
  readonly person: { readonly name: string; readonly email: string };
  readonly scopes: readonly (keyof typeof SCOPES)[];
  /** CSRF token of the form. */
  readonly token: string;
}

const SCOPES = {
  'workflows:read': ['Read', 'View your workflows, runs and results.'],
  'workflows:write': ['Edit', 'Create, edit, publish and delete workflows, and add media.'],
  'workflows:execute': ['Run', 'Start and cancel runs. Runs can cost credits.'],
} as const;

const REDIRECT_TEXTS: Readonly<Record<ConsentRequest['redirectKind'], string>> = {
  https: 'Redirects to',
  loopback: 'Redirects to a program on this computer at',
  app: 'Redirects to the app that opens',
};

export function renderConsentPage(request: ConsentRequest): string {
  const { uid, clientName, redirectHost, redirectKind, person, scopes, token } = request;
  const title = `Allow ${clientName} to access your account?`;
  return renderDocument({
    title: 'Allow access?',
    description: title,
    canonical: undefined,
    main: html`<div class="wrap"><form class="ask" method="post" action="/oauth/interaction/${uid}">
<h1>Allow <bdi>${clientName}</bdi> to access your account?</h1>
<p class="lead">This app wants to use Graphwright on your behalf.</p>
<dl><dt>Account</dt><dd><bdi>${person.name}</bdi> <bdi>${person.email}</bdi></dd>
<dt>${REDIRECT_TEXTS[redirectKind]}</dt><dd><bdi>${redirectHost}</bdi></dd></dl>
${redirectKind === 'https' ? undefined : WARNING}
<fieldset><legend>Permissions</legend>${scopes.map(renderScope)}</fieldset>
<input type="hidden" name="token" value="${token}">
<p class="choices"><button name="decision" value="allow">Allow</button><button class="quiet" name="decision" value="deny" formnovalidate>Deny</button></p>
<p class="byline">The app chose its own name. You can disconnect it at any time in Settings.</p>
</form></div>`,
  });
}

const WARNING = html`<p class="warning" role="note">Any program on this computer can use this name. Allow access only if you have just connected the app yourself.</p>`;

function renderScope(scope: keyof typeof SCOPES): Html {
  const [label, text] = SCOPES[scope];
  return html`<label><input type="checkbox" name="scope" value="${scope}" checked><span><strong>${label}</strong> ${text}</span></label>`;
}
