# Fetches the binary of this release for a Windows runner, checks it against the
# digest in release.txt and runs it: run.ps1 native judges, run.ps1 setup puts the
# binary on the path. The inputs are in BREADCRUMB_INPUTS. BREADCRUMB_RELEASES names
# a mirror of the releases. For Windows PowerShell 5.1 and later.
param([string] $Action)
Set-StrictMode -Version 3.0
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue' # its bar makes a download take minutes

function Stop-Run([string] $Message) {
    Write-Host "::error title=Breadcrumb::$Message"
    exit 3
}

switch -CaseSensitive ($Action) {
    'native' { $words = 'ci', '--action', 'native' }
    'setup' { $words = 'restore', '--action', 'setup' }
    default { Stop-Run 'run.ps1 is for native/action.yml and setup/action.yml' }
}

$releases = $env:BREADCRUMB_RELEASES
if (-not $releases) {
    $releases = 'https://github.com/breadcrumb/action/releases/download'
}

if ($env:RUNNER_OS -cne 'Windows') {
    Stop-Run "there is no binary for the runner's system '$env:RUNNER_OS'"
}
switch -CaseSensitive ($env:RUNNER_ARCH) {
    'X64' { $arch = 'amd64' }
    'ARM64' { $arch = 'arm64' }
    default { Stop-Run "there is no binary for the runner's processor '$env:RUNNER_ARCH'" }
}
$asset = "breadcrumb-windows-$arch.exe"

$lines = @(Get-Content -LiteralPath (Join-Path -Path $PSScriptRoot -ChildPath 'release.txt'))
$version = $lines[0]
$want = ''
foreach ($line in $lines) {
    if ($line -cmatch '^([0-9a-f]{64})  (\S+)$' -and $Matches[2] -ceq $asset) {
        $want = $Matches[1]
    }
}
if (-not $want) {
    Stop-Run "native/release.txt of this commit has no digest of ${asset}: use a release, breadcrumb/action/native@v1"
}

# A folder of its own, whose name nobody can guess.
$dir = Join-Path -Path $env:RUNNER_TEMP -ChildPath ('breadcrumb-' + [Guid]::NewGuid().ToString('N'))
$null = New-Item -ItemType Directory -Path $dir
$file = Join-Path -Path $dir -ChildPath 'breadcrumb.exe'
[Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
for ($try = 1; $true; $try++) {
    try {
        Invoke-WebRequest -UseBasicParsing -Uri "$releases/$version/$asset" -OutFile $file -TimeoutSec 300
        break
    } catch {
        if ($try -ge 4) {
            Stop-Run "$asset of $version could not be fetched from ${releases}: $($_.Exception.Message -replace '\s+', ' ')"
        }
        Start-Sleep -Seconds $try
    }
}
$got = (Get-FileHash -LiteralPath $file -Algorithm SHA256).Hash.ToLowerInvariant()
if ($got -cne $want) {
    Remove-Item -LiteralPath $dir -Recurse -Force
    Stop-Run "$asset of $version has the digest $got, not ${want}: it was not run"
}
& $file @words
exit $LASTEXITCODE
