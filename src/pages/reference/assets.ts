// Holds the style sheet and the script of the API reference.
import { readFileSync } from 'node:fs';
import { createAsset } from '../asset.ts';

const RULES = `
.reference{padding-block:1.5rem 0}
.reference h1{font-size:clamp(1.875rem,1.5rem + 1.5vw,2.5rem)}
.reference h2{font-size:1.375rem}
.reference h2 a{color:inherit;text-decoration:none}
.reference h2 a:hover{text-decoration:underline}
.reference h3{font-size:1rem;margin-block:1.5rem .5rem}
.reference .part h3,.reference .prose h3{margin-block:0 .4rem;font-size:1.125rem}
.reference .prose h3{margin-top:1.8em}
.reference .read p+p{margin-top:.6rem}
.reference p.muted,.muted{color:var(--muted);font-size:.9375rem}
.contents-link{margin-bottom:1rem}
.operation{margin-top:2.5rem;padding-top:2rem;border-top:1px solid var(--line)}
.route{margin-top:.5rem;overflow-wrap:anywhere}
.method{font:600 .8125rem/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;color:var(--accent);background:var(--tint);border-radius:.3rem;padding:.2em .5em;margin-inline-end:.3rem}
.columns{margin-top:1rem}
.columns>*{min-width:0}
.fields{margin:0}
.fields>div{padding-block:.6rem;border-top:1px solid var(--line)}
.fields dd{margin:.15rem 0 0;font-size:.9375rem;line-height:1.55}
.fields code{overflow-wrap:anywhere}
.required{font-size:.8125rem;color:var(--accent)}
.field-type{color:var(--muted);font-size:.9063rem}
.reference details{margin-top:1rem}
.reference summary{cursor:pointer;font-weight:600;padding-block:.25rem}
.reference pre{max-height:28rem;overflow:auto;font-size:.8125rem}
.reference pre code{font-size:1em}
.sample h3,.samples h3{margin-top:0}
.sample+.sample{margin-top:1rem}
.samples [role=tablist]{display:flex;gap:.25rem;margin-bottom:.5rem}
.samples [role=tab]{font:inherit;font-size:.875rem;padding:.3rem .75rem;border:1px solid var(--line);border-radius:.5rem;background:none;color:var(--ink);cursor:pointer}
.samples [role=tab][aria-selected=true]{background:var(--tint);border-color:var(--accent);color:var(--accent)}
.reference label{display:block;margin-top:.6rem;font-size:.9063rem}
.reference label span{display:block;margin-bottom:.2rem;color:var(--muted)}
.reference :is(input,textarea){width:100%;font:.875rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;padding:.45rem .6rem;border:1px solid var(--muted);border-radius:.5rem;background:var(--paper);color:var(--ink)}
.reference .button{margin-top:.9rem;padding:.45rem 1rem;font-weight:600;font-size:.9375rem;line-height:1.4;font-family:inherit;border:0;cursor:pointer}
.reference .response{margin-top:1rem;border-inline-start:1px solid var(--line);padding:1rem 1.25rem;white-space:pre-wrap;overflow-wrap:anywhere}
.contents{margin-top:3rem;font-size:.9375rem}
.contents h2{font-size:.9375rem;margin-top:1.5rem;letter-spacing:0}
.contents ul{list-style:none;margin:.4rem 0 0;padding:0}
.contents ul ul{padding-inline-start:.9rem;border-inline-start:1px solid var(--line);margin-block:.2rem .4rem}
.contents li a{display:block;padding-block:.25rem;color:var(--muted);text-decoration:none}
.contents li a:is(:hover,[aria-current]){color:var(--ink)}
.contents li a[aria-current]{font-weight:600}
.contents [data-found] a{padding:.4rem .5rem;border-radius:.4rem;color:var(--ink)}
.contents [data-found] a:is(:hover,:focus){background:var(--tint)}
.contents [data-found] small{display:block;color:var(--muted);overflow-wrap:anywhere}
@media (min-width:64rem){.reference{width:min(92rem,100% - 4rem);display:grid;grid-template-columns:15rem minmax(0,1fr);gap:3.5rem;align-items:start}.contents{order:-1;margin-top:0;position:sticky;top:1rem;max-height:calc(100vh - 2rem);overflow-y:auto;padding:.25rem}.contents-link{display:none}.lead{max-width:44rem}}
@media (min-width:80rem){.columns{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:3rem}}
`;

export const REFERENCE_STYLE = createAsset('/docs/assets/style', 'css', RULES.replaceAll('\n', ''));
export const REFERENCE_SCRIPT = createAsset(
  '/docs/assets/script',
  'js',
  readFileSync(new URL('browser.js', import.meta.url), 'utf8'),
);
