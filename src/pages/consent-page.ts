// The page on which a person decides what a program may do in their name.
import { renderDocument } from './document.ts';
import { type Html, html } from './html.ts';

export interface ConsentRequest {
  readonly uid: string;
  /** As the program calls itself, made fit to be shown. */
  readonly clientName: string;
  readonly redirectHost: string;
  readonly redirectKind: 'https' | 'loopback' | 'app';
  readonly person: { readonly name: string; readonly email: string };
  readonly scopes: readonly (keyof typeof SCOPES)[];
  /** Proves that the form comes from this page. */
  readonly token: string;
}

const SCOPES = {
  'workflows:read': ['Read', 'See your workflows, their runs and results.'],
  'workflows:write': ['Change', 'Make, change, publish and delete workflows, and add media.'],
  'workflows:execute': ['Run', 'Start and cancel runs. Runs can cost credits.'],
} as const;

const PLACES: Readonly<Record<ConsentRequest['redirectKind'], string>> = {
  https: 'The answer goes to',
  loopback: 'The answer goes to a program on this computer, at',
  app: 'The answer goes to the app that opens',
};

export function renderConsentPage(request: ConsentRequest): string {
  const { uid, clientName, redirectHost, redirectKind, person, scopes, token } = request;
  const title = `Let ${clientName} in?`;
  return renderDocument({
    title: 'Let a program in?',
    description: title,
    canonical: undefined,
    main: html`<div class="wrap"><form class="ask" method="post" action="/oauth/interaction/${uid}">
<h1>Let <bdi>${clientName}</bdi> in?</h1>
<p class="lead">It wants to use Graphwright in your name.</p>
<dl><dt>Your account</dt><dd><bdi>${person.name}</bdi> <bdi>${person.email}</bdi></dd>
<dt>${PLACES[redirectKind]}</dt><dd><bdi>${redirectHost}</bdi></dd></dl>
${redirectKind === 'https' ? undefined : WARNING}
<fieldset><legend>It may</legend>${scopes.map(renderScope)}</fieldset>
<input type="hidden" name="token" value="${token}">
<p class="choices"><button name="decision" value="allow">Allow</button><button class="quiet" name="decision" value="deny" formnovalidate>Refuse</button></p>
<p class="byline">The name is what the program says of itself. You can end the connection at any time in the settings.</p>
</form></div>`,
  });
}

const WARNING = html`<p class="warning" role="note">Any program on this computer can ask under this name. Allow it only if you have just connected it yourself.</p>`;

function renderScope(scope: keyof typeof SCOPES): Html {
  const [label, text] = SCOPES[scope];
  return html`<label><input type="checkbox" name="scope" value="${scope}" checked><span><strong>${label}</strong> ${text}</span></label>`;
}
