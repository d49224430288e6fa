// Stores or fetches an artifact with GitHub's own client:
//   node artifact.mjs store NAME DIR
//   node artifact.mjs fetch NAME DIR          within the run
//   node artifact.mjs download ID DIR DIGEST  through the API, from any run
import { DefaultArtifactClient } from '@actions/artifact';
import fs from 'node:fs';
import path from 'node:path';

const [verb, name, dir, expectedHash] = process.argv.slice(2);
const client = new DefaultArtifactClient();
if (verb === 'store') {
  const files = fs.readdirSync(dir).map((file) => path.join(dir, file));
  await client.uploadArtifact(name, files, dir);
} else if (verb === 'fetch') {
  const { artifact } = await client.getArtifact(name);
  await client.downloadArtifact(artifact.id, { path: dir, expectedHash: artifact.digest }).then(check);
} else {
  const [repositoryOwner, repositoryName] = process.env.GITHUB_REPOSITORY.split('/');
  const findBy = { repositoryOwner, repositoryName, token: 'job' };
  await client.downloadArtifact(Number(name), { path: dir, findBy, expectedHash }).then(check);
}

function check(answer) {
  if (answer.digestMismatch) throw new Error('the digest differs');
}
