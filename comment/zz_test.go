package comment
import ("testing";"os";"path/filepath";"fmt"
"github.com/breadcrumb/action/engine"
"github.com/breadcrumb/action/engine/flaky"
"github.com/breadcrumb/action/engine/outcome"
"github.com/breadcrumb/action/junit")
func TestZZ(t *testing.T){
 files,_:=filepath.Glob("/work/shared/corpus/junit/dev/*.xml")
 big:=outcome.Run{Info:pullRequest}
 for _,f:=range files{
  r,_:=os.Open(f)
  p,err:=junit.Parse(filepath.Base(f),r,junit.Options{Root:"/home/ci/npm/pwt"})
  run:=outcome.Run{Info:pullRequest}
  if err!=nil { run.Verdict.Notices=append(run.Verdict.Notices,engine.Notice{File:filepath.Base(f),Reason:err.Error(),Severity:"blocking"}) } else {
  run.Counts=outcome.Count(p.Results)
  for _,n:=range p.Notices { if n.Severity=="blocking" {run.Verdict.Notices=append(run.Verdict.Notices,n)} else {run.Notices=append(run.Notices,n)} }
  for i,x:=range p.Results { if x.Final().Status.Failing(){run.Verdict.Blocking=append(run.Verdict.Blocking,flaky.Failure{Result:x}); if i<4 {big.Verdict.Blocking=append(big.Verdict.Blocking,flaky.Failure{Result:x})}}; if x.Flaky(){run.FlakyTests=append(run.FlakyTests,x)} }
  big.Verdict.Notices=append(big.Verdict.Notices,run.Verdict.Notices...)
  }
  body:=Render(run,Options{})
  if pr:=check(body);len(pr)>0{ t.Errorf("%s %v",f,pr)}
  os.WriteFile("/tmp/comment-work/"+filepath.Base(f)+".md",[]byte(body),0o644)
 }
 fmt.Println(len(big.Verdict.Blocking))
 big.Counts=outcome.Counts{Tests:1}
 os.WriteFile("/tmp/comment-work/big.md",[]byte(Render(big,Options{Limit:1<<20})),0o644)
}
