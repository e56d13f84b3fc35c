import { type Assets, banner, head } from './layout.js';

/** The page on which the API can be tried out, by Swagger UI. Without a script it leads to the reference. */
export const tryPage = (assets: Assets, viewer: string, start: string): string =>
  `<!doctype html>
<html lang="en">
<head>
${head({ path: '/docs/api', label: 'Try the API', summary: 'Every call of the API, to be tried out.' }, assets)}
</head>
<body>
${banner()}
<noscript><p class="note">Trying out needs JavaScript. The <a href="/docs/api">API reference</a> works without it.</p></noscript>
<div id="main" tabindex="-1"></div>
<script src="${viewer}"></script>
<script src="${start}"></script>
</body>
</html>
`;
