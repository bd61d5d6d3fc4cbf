// Holds the style sheet of all public pages, and the icon.
import { createStyleSheet } from '../graph/draw/theme.ts';
import { createAsset } from './asset.ts';
import { PALETTE_RULES } from './palette.ts';

const RULES = `
*,::before,::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-padding-top:1.5rem}
body{margin:0;background:var(--paper);color:var(--ink);font:1.0625rem/1.65 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans","Liberation Sans",Arial,sans-serif;-webkit-font-smoothing:antialiased;overflow-wrap:break-word}
h1,h2,h3,h4,h5,h6,p,li,dd,td,th,summary,figcaption,blockquote{unicode-bidi:plaintext;text-align:start}
h1,h2,h3,h4{margin:0;line-height:1.2;letter-spacing:-.018em;font-weight:650;text-wrap:balance}
h1{font-size:clamp(2.125rem,1.45rem + 2.9vw,3.5rem);line-height:1.08;letter-spacing:-.034em}
h2{font-size:clamp(1.5rem,1.25rem + 1vw,2rem);letter-spacing:-.024em}
h3{font-size:1.1875rem}
p{margin:0;text-wrap:pretty}
a{color:var(--accent);text-decoration-thickness:.07em;text-underline-offset:.18em}
a:hover{text-decoration-thickness:.13em}
:focus-visible{outline:3px solid var(--accent);outline-offset:3px;border-radius:.25rem}
img,video,svg{display:block;max-width:100%}
img,video{height:auto;border-radius:.75rem}
code,pre{font:.9em/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
code{background:var(--raised);border-radius:.3rem;padding:.1em .35em}
pre{margin:0;overflow-x:auto;background:var(--raised);border:1px solid var(--line);border-radius:.75rem;padding:1rem 1.25rem;tab-size:2}
pre code{background:none;padding:0}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:1rem;background:var(--paper);padding:.5rem 1rem;z-index:1}
.wrap{width:min(70rem,100% - 2.5rem);margin-inline:auto}
.top{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:.25rem 1.5rem;padding-block:1.125rem}
.bar{display:flex;flex-wrap:wrap;align-items:center;gap:0 1rem;min-height:3.5rem;padding:.25rem clamp(1rem,3vw,2.5rem);border-bottom:1px solid var(--line);background:var(--paper);font-size:.9375rem;line-height:1.4}
.bar nav{flex:1;margin-inline-start:.5rem}
.bar .menu{gap:.25rem}
.bar .menu a{padding:.375rem .75rem;border-radius:.5rem;font-weight:500}
.bar .menu a:hover,.bar .menu a[aria-current]{background:var(--raised)}
.bar .visitor a,.bar .user a{color:var(--accent)}
.to-light,.user,:root[data-user] .visitor,:root[data-theme=dark] .to-dark{display:none}
:root[data-user] .user,:root[data-theme=dark] .to-light{display:list-item}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]) .to-light{display:list-item}:root:not([data-theme=light]) .to-dark{display:none}}
@media (max-width:40rem){.bar nav{order:1;flex-basis:100%;margin:0 -.75rem}.bar .own{margin-inline-start:auto}}
.brand{display:flex;align-items:center;gap:.6rem;color:var(--ink);font-weight:650;letter-spacing:-.015em;text-decoration:none}
.brand svg{color:var(--accent)}
.menu{display:flex;flex-wrap:wrap;gap:0 1.25rem;margin:0;padding:0;list-style:none;font-size:.9375rem}
.menu a{display:inline-block;padding-block:.375rem;color:var(--muted);text-decoration:none}
.menu a:hover,.menu a[aria-current]{color:var(--ink)}
.crumbs{font-size:.875rem;color:var(--muted)}
.crumbs ol{display:flex;flex-wrap:wrap;gap:0 .5rem;margin:0;padding:0;list-style:none}
.crumbs li+li::before{content:"/";margin-inline-end:.5rem;color:var(--line)}
.crumbs a{color:inherit;text-decoration:none}
.crumbs a:hover{color:var(--ink);text-decoration:underline}
.hero{padding-block:clamp(2rem,5vw,4.5rem) clamp(2rem,4vw,3.5rem)}
.hero .crumbs{margin-bottom:1.25rem}
.lead{margin-top:1.125rem;font-size:clamp(1.125rem,1.05rem + .4vw,1.3125rem);line-height:1.5;color:var(--muted);max-width:38rem}
.byline{margin-top:1.25rem;font-size:.9375rem;color:var(--muted)}
.button{display:inline-block;margin-top:1.75rem;padding:.7rem 1.4rem;border-radius:.7rem;background:var(--ink);color:var(--paper);font-weight:600;font-size:1rem;line-height:1.4;text-decoration:none}
@media (hover:hover){.button:hover{background:var(--accent)}}
.button.quiet{background:none;color:var(--ink);box-shadow:inset 0 0 0 1px var(--line)}
@media (hover:hover){.button.quiet:hover{box-shadow:inset 0 0 0 1px var(--accent);color:var(--accent)}}
.post{width:min(43rem,100% - 2.5rem);margin-inline:auto}
.cover{margin-block:0 clamp(2rem,4vw,3.5rem)}
.cover img{width:100%;max-height:34rem;object-fit:cover;border-radius:1rem}
section.band,.part{margin-block:clamp(3rem,6vw,5rem)}
.part>h2,.band>h2{margin-bottom:1.5rem}
.grid{display:grid;gap:2rem clamp(1.5rem,4vw,3rem);grid-template-columns:repeat(auto-fit,minmax(min(100%,16rem),1fr));margin:0;padding:0;list-style:none}
.grid>li{border-top:1px solid var(--line);padding-top:1.125rem}
.grid h3+p,.grid a+p{margin-top:.4rem;color:var(--muted)}
.grid img{margin-bottom:1rem}
.icon{display:block;margin-bottom:.5rem;font-size:1.5rem;line-height:1.3}
.grid img.icon{width:2rem;height:2rem;border-radius:.4rem}
.answer{border-inline-start:3px solid var(--accent);padding-inline-start:1.375rem}
.answer.highlight{background:var(--tint);border:0;border-radius:1rem;padding:clamp(1.25rem,3vw,2rem)}
.answer.compact{border-inline-start-width:1px;border-color:var(--line);font-size:.9688rem}
.answer h2{font-size:1.375rem;margin-bottom:.6rem}
.answer.compact h2{font-size:1.0625rem;letter-spacing:-.01em}
.answer p,.answer ul{max-width:42rem}
.answer ul{margin:.75rem 0 0;padding-inline-start:1.2rem}
.answer li{margin-top:.3rem}
.steps{counter-reset:step;margin:0;padding:0;list-style:none;max-width:46rem}
.steps>li{counter-increment:step;position:relative;padding-inline-start:3.5rem;padding-bottom:2rem}
.steps>li::before{content:counter(step);position:absolute;inset-inline-start:0;top:-.1rem;width:2.125rem;height:2.125rem;border-radius:50%;background:var(--tint);color:var(--accent);font-weight:650;font-size:.9375rem;line-height:2.125rem;text-align:center}
.steps>li:not(:last-child)::after{content:"";position:absolute;inset-inline-start:1.03rem;top:2.5rem;bottom:.4rem;width:1px;background:var(--line)}
.steps>li:last-child{padding-bottom:0}
.steps p{margin-top:.35rem;color:var(--muted)}
.steps pre{margin-top:.9rem}
.steps img{margin-top:1rem}
.faq{max-width:46rem;border-bottom:1px solid var(--line)}
.faq details{border-top:1px solid var(--line)}
.faq summary{display:flex;justify-content:space-between;gap:1.5rem;padding-block:1.05rem;cursor:pointer;list-style:none}
.faq summary::-webkit-details-marker{display:none}
.faq summary::after{content:"+";font-size:1.375rem;line-height:1.1;font-weight:400;color:var(--muted)}
.faq [open] summary::after{content:"\\2013"}
.faq h3{font-size:1.0625rem;line-height:1.45;letter-spacing:-.01em}
.faq p{padding-bottom:.9rem;color:var(--muted);max-width:42rem}
.post>.answer{margin-block:0 2.75rem}
.pre{white-space:pre-line}
.prose{max-width:43rem}
.wide{max-width:none}
.prose>*+*{margin-top:1.15em}
.prose>h2{margin-top:2.2em}
.prose>h3,.prose>h4,.prose>h5,.prose>h6{margin-top:1.8em}
.prose>:first-child{margin-top:0}
.prose :is(h2,h3,h4,h5,h6)+*{margin-top:.6em}
.prose h2{font-size:1.625rem}
.prose h3{font-size:1.25rem}
.prose h4,.prose h5,.prose h6{font-size:1.0625rem}
.prose :is(ul,ol){padding-inline-start:1.4rem;margin-bottom:0}
.prose li+li,.prose li>:is(ul,ol,p+p){margin-top:.35em}
.prose li::marker{color:var(--muted)}
.prose blockquote,.quote blockquote{margin-inline:0;padding-inline-start:1.25rem;border-inline-start:3px solid var(--line);color:var(--muted)}
.prose blockquote>*+*{margin-top:.75em}
.prose hr{border:0;border-top:1px solid var(--line);margin-block:2.5rem}
.prose .footnotes{font-size:.9063rem;color:var(--muted)}
.prose .footnotes li>p{display:inline}
.prose sup a{text-decoration:none;padding-inline:.1em}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9688rem;line-height:1.5}
th,td{padding:.6rem 1rem .6rem 0;border-bottom:1px solid var(--line);vertical-align:top;min-width:6rem}
th{font-weight:600}
.center{text-align:center}.right{text-align:end}
figure{margin:0}
figcaption{margin-top:.6rem;font-size:.9063rem;color:var(--muted)}
.block{margin-block:clamp(2rem,4vw,3rem)}
.wrap>:is(.quote,.code){max-width:46rem}
.quote blockquote{font-size:clamp(1.25rem,1.1rem + .7vw,1.5625rem);line-height:1.4;letter-spacing:-.015em;color:var(--ink);border-color:var(--accent)}
.gallery{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,14rem),1fr))}
.gallery img{width:100%;aspect-ratio:4/3;object-fit:cover}
.flow{overflow-x:auto;border:1px solid var(--line);border-radius:1rem;background:#f6f7f9}
.flow svg,.flow img{width:100%;min-width:60rem;max-width:none;height:auto;max-height:34rem;border-radius:0}
.flow.whole svg{max-height:none}
.meta{color:var(--muted)}
.cta{background:var(--tint);border-radius:1.25rem;padding:clamp(2rem,5vw,3.75rem)}
.cta p{margin-top:.75rem;max-width:36rem;color:var(--muted)}
.cards{display:grid;gap:2.5rem 2rem;grid-template-columns:repeat(auto-fill,minmax(min(100%,18.5rem),1fr));margin:0;padding:0;list-style:none}
.card{position:relative}
.card img{width:100%;aspect-ratio:16/10;object-fit:cover;margin-bottom:1rem;background:var(--raised)}
.card h2,.card h3{font-size:1.25rem;letter-spacing:-.018em}
.card a{color:inherit;text-decoration:none}
.card a::after{content:"";position:absolute;inset:0}
.card a:hover{text-decoration:underline}
.card p{margin-top:.4rem;color:var(--muted);font-size:.9688rem;line-height:1.55}
.card time{display:block;margin-bottom:.35rem;font-size:.875rem;color:var(--muted)}
.pager{display:flex;justify-content:space-between;gap:1rem;margin-top:3.5rem;padding-top:1.25rem;border-top:1px solid var(--line);font-size:.9688rem}
.pager>*{flex:1}
.pager>:nth-child(2){text-align:center}
.pager>:last-child{text-align:end}
.nodes{margin:0;padding:0;list-style:none;border-bottom:1px solid var(--line)}
.nodes li{display:flex;flex-wrap:wrap;align-items:baseline;justify-content:space-between;gap:.1rem 1.5rem;padding-block:.7rem;border-top:1px solid var(--line)}
.nodes .type{color:var(--muted)}
.ask{max-width:34rem;margin:clamp(1.5rem,5vw,4rem) auto 0;padding:clamp(1.25rem,4vw,2.25rem);border:1px solid var(--line);border-radius:1rem;background:var(--raised);overflow-wrap:anywhere}
.ask h1{font-size:clamp(1.5rem,1.3rem + 1vw,1.875rem);letter-spacing:-.02em}
.ask .lead{margin-top:.5rem;font-size:1.0625rem}
.ask dl{margin:1.5rem 0 0;font-size:.9375rem}
.ask dt{color:var(--muted)}
.ask dd{margin:0 0 .75rem;font-weight:600}
.ask bdi{unicode-bidi:isolate}
.ask fieldset{margin:.75rem 0 0;padding:0;border:0}
.ask legend{padding:0;margin-bottom:.25rem;font-weight:650}
.ask label{display:flex;gap:.75rem;align-items:baseline;padding:.625rem 0;border-top:1px solid var(--line);font-size:.9688rem}
.ask input{margin:0;accent-color:var(--accent);width:1.05rem;height:1.05rem;flex:none}
.ask label span{color:var(--muted)}
.ask label strong{color:var(--ink)}
.ask .warning{margin:.5rem 0 1.25rem;padding:.75rem 1rem;border-inline-start:3px solid var(--accent);background:var(--tint);font-size:.9375rem}
.ask .choices{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1.5rem}
.ask button{min-height:2.75rem;padding:.55rem 1.4rem;border:1px solid var(--ink);border-radius:.7rem;background:var(--ink);color:var(--paper);font:inherit;font-weight:600;cursor:pointer}
.ask button.quiet{background:none;color:var(--ink);border-color:var(--muted)}
.ask .byline{font-size:.875rem}
.foot{margin-top:clamp(4rem,8vw,7rem);border-top:1px solid var(--line);color:var(--muted);font-size:.875rem}
@media (min-width:56rem){.wrap>.side{display:grid;grid-template-columns:1fr 2fr;gap:clamp(2rem,5vw,4.5rem)}.wrap>.side>h2{margin:0}.split{display:grid;grid-template-columns:1.05fr 1fr;gap:clamp(2rem,5vw,4.5rem);align-items:center}}
@media (max-width:55.99rem){.split>img{margin-top:2.5rem}}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]) .flow{background:#0e1116}}
:root[data-theme=dark] .flow{background:#0e1116}
@media (prefers-reduced-motion:no-preference){a,.button{transition:color .15s,background-color .15s,box-shadow .15s}}
@media print{.bar,.top,.foot,.cta,.button{display:none}}
`;

/** Diagrams follow the system's theme. These rules apply the theme that the reader chose. */
const THEMED_DRAWING_RULES = (['light', 'dark'] as const)
  .map(theme => createStyleSheet(theme).replaceAll('.gw-', `:root[data-theme=${theme}] .gw-`))
  .join('');

export const STYLESHEET = createAsset(
  '/pages/style',
  'css',
  `${PALETTE_RULES}${RULES.replaceAll('\n', '')}${THEMED_DRAWING_RULES}`,
);

/** Has only the colors, for the web application. */
export const PALETTE_STYLESHEET = createAsset('/pages/palette', 'css', PALETTE_RULES);

/** Shows two nodes and the connection between them. */
export const ICON = createAsset(
  '/pages/icon',
  'svg',
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><style>path,circle{fill:none;stroke:#3146c9;stroke-width:3.4;stroke-linecap:round}@media(prefers-color-scheme:dark){path,circle{stroke:#a3b2ff}}</style><circle cx="8" cy="9" r="4.5"/><circle cx="24" cy="23" r="4.5"/><path d="M12.5 9C22 9 10 23 19.5 23"/></svg>',
);
